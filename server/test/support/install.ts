// Installs Debian packages where that is allowed without asking anybody, and starts none of the services in them.
// Knows nothing of why they are wanted.
import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findBinary } from './find-binary.ts'

/** Why packages cannot be installed here, or null where they can. */
export function findObstacle(): string | null {
  if (findBinary('apt-get') === null) return 'this system has no apt-get'
  if (process.getuid?.() === 0) return null
  if (findBinary('sudo') === null) return 'only root may install, and there is no sudo'
  const asked = spawnSync('sudo', ['-n', 'true'], { stdio: 'ignore' })
  return asked.status === 0 ? null : 'only root may install, and sudo asks for a password'
}

/** Throws when apt-get fails; what it says goes to stderr. */
export function installPackages(packages: string[]): void {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-install-'))
  const script = join(folder, 'install.sh')
  try {
    writeFileSync(script, installScript)
    chmodSync(script, 0o755)
    const asRoot = process.getuid?.() === 0 ? [] : ['sudo', '-n']
    const [command = 'sh', ...args] = [...asRoot, 'sh', script, folder, ...packages]
    execFileSync(command, args, { stdio: ['ignore', 2, 2] })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * The package scripts see a mount namespace of their own in which starting a service does nothing, so nothing is left
 * behind even if this is killed. Where namespaces are not allowed (containers), no service manager runs either.
 * PostgreSQL would also create a cluster of its own, which its configuration prevents for the time of the install.
 */
const installScript = `
set -eu
PATH="$PATH:/usr/local/sbin:/usr/sbin:/sbin"
folder=$1
shift
export DEBIAN_FRONTEND=noninteractive
clusters=/etc/postgresql-common/createcluster.conf
if [ -e $clusters ]; then cp -p $clusters "$folder/createcluster.conf"; fi
restore() {
  if [ -e "$folder/createcluster.conf" ]; then
    cp -p "$folder/createcluster.conf" $clusters
  elif [ -e /usr/share/postgresql-common/createcluster.conf ]; then
    cp /usr/share/postgresql-common/createcluster.conf $clusters
  else
    rm -f $clusters
  fi
}
trap restore EXIT
mkdir -p /etc/postgresql-common
echo 'create_main_cluster = false' >> $clusters
printf '#!/bin/sh\\nexit 0\\n' > "$folder/nothing"
chmod 755 "$folder/nothing"
cat > "$folder/quietly" <<EOF
for starter in /usr/sbin/invoke-rc.d /usr/bin/deb-systemd-invoke; do
  if [ -e \\$starter ]; then mount --bind "$folder/nothing" \\$starter; fi
done
exec "\\$@"
EOF
apt-get update -qq
if unshare --mount true 2>/dev/null; then
  unshare --mount sh "$folder/quietly" apt-get install -y -qq --no-install-recommends "$@"
else
  apt-get install -y -qq --no-install-recommends "$@"
fi
`
