"""What a page is: text -> one token stream, and a separation of it into template and content."""
