"""What works round Keras and its backends."""
