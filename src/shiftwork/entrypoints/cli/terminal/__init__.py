"""How output looks on a terminal: colours and the pager. Knows nothing about runs."""
