#!/usr/bin/env bash
# Prints "date  author  file:line  text" for every TODO and FIXME below a path, oldest first.
set -euo pipefail
path="${1:-.}"

grep -rnIE --exclude-dir=.git --exclude-dir=node_modules '\b(TODO|FIXME)\b' -- "$path" | head -n 500 | while IFS=: read -r file line text; do
  date="-"
  author="-"
  if blame=$(git blame --porcelain -L "$line,$line" -- "$file" 2>/dev/null); then
    seconds=$(sed -n 's/^author-time //p' <<<"$blame")
    date=$(date -u -d "@$seconds" +%F 2>/dev/null || date -u -r "$seconds" +%F)
    author=$(sed -n 's/^author //p' <<<"$blame")
  fi
  printf '%s  %s  %s:%s  %s\n' "$date" "$author" "$file" "$line" "$(sed 's/^[[:space:]]*//' <<<"$text")"
done | sort
