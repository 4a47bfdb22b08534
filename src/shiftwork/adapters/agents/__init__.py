"""Coding agents behind one port; `_driver` says what an agent's file must tell, `_process` runs it."""
