"""The warnings that users see."""

import warnings


def said(call, *arguments, holding=""):
    """Return the warnings of a call that contain a text."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        call(*arguments)
    texts = [str(x.message) for x in caught if x.category is UserWarning]
    return [text for text in texts if holding in text]
