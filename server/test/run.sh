#!/bin/sh
# Starts run.ts with the Node among the packages. Before that it installs the system libraries that this Node is linked
# against and this machine lacks, as slim images do, where that is allowed without asking anybody.
set -u

# Not every npm links it in node_modules/.bin, see server/node.sh.
for folder in "$(dirname "$0")"/../../node_modules/node-*/bin; do
  if [ -x "$folder/node" ]; then PATH=$(cd "$folder" && pwd):$PATH; fi
done
export PATH

# The loader reports one missing library at a time.
missing_library() {
  LC_ALL=C node --version 2>&1 | sed -n 's/.*error while loading shared libraries: \([^:]*\): cannot open.*/\1/p'
}

install() {
  as_root=
  if [ "$(id -u)" != 0 ]; then as_root='sudo -n'; fi
  $as_root apt-get -qq update
  $as_root apt-get -qq install --yes --no-upgrade --no-remove --no-install-recommends "$1"
}

before=
library=$(missing_library)
while [ -n "$library" ]; do
  # By Debian's rule: libatomic.so.1 is in libatomic1, libgcc_s.so.1 in libgcc-s1.
  package=$(echo "$library" | sed 's/\.so\.//; s/_/-/g')
  if [ "$library" = "$before" ]; then
    echo "Node does not start without $library. Install it, on Debian: apt-get install $package"
    exit 1
  fi
  echo "Node does not start without $library. Installing $package; nothing is upgraded or removed."
  install "$package" >&2
  before=$library
  library=$(missing_library)
done
exec node "$(dirname "$0")/run.ts" "$@"
