"""Workers: who does a task, in this process, on this machine or on others. Nothing else knows how one is reached."""
