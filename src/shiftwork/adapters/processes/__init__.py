"""Starting programs so that nothing of them is left: shared by agents and gates, which do not know each other."""
