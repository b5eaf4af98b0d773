"""Dead letters: how they are kept, and what one can do with them."""
