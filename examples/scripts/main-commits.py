"""Keeps the first line of each commit message; a push without commits is ignored."""
import json
import sys

push = json.load(sys.stdin)
titles = [commit["message"].splitlines()[0] for commit in push.get("commits", [])]
if titles:
    print(json.dumps({"repository": push["repository"]["full_name"], "commits": titles}))
