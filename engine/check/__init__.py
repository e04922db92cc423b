"""What `rules check` proves about a book before it is used. See `check_book`."""
