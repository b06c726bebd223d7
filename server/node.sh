#!/bin/sh
# Runs the Node of the packages with the given arguments; where npm has none for this platform, the one on the PATH.
# npm links it as node_modules/.bin/node, but many versions of npm then delete this link with the packages of the other
# platforms, which have a command of the same name: all of npm 10, and npm 11.6, which come with Node 20 to 24.
for node in "$(dirname "$0")"/../node_modules/node-*/bin/node; do
  if [ -x "$node" ]; then exec "$node" "$@"; fi
done
exec node "$@"
