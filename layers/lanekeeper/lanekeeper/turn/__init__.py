"""The turn: what happens between a claimed lane and a delivered reply. It joins the rooms; `engine` tells the story."""
