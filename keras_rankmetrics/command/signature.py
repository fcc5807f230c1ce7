def add_to(p): pass
