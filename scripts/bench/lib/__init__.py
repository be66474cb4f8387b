"""What the measuring scripts of this folder share. Python's standard library only."""
