"""What a server decides: which runs it works on, and when."""
