// Installs Debian packages where that is allowed without asking anybody. Upgrades and removes nothing, and starts none of
// the services in the packages. Knows nothing of why they are wanted.
import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findBinary } from './find-binary.ts'

export interface InstallPlan {
  /** All packages that would be new, dependencies included. */
  added: string[]
  /** Why the installation is not to be done, or null. */
  obstacle: string | null
}

interface System {
  uid: number | undefined
  find: (name: string) => string | null
}

const thisSystem: System = { uid: process.getuid?.(), find: name => findBinary(name) }

/** Why packages cannot be installed here, or null where they can. */
export function findObstacle({ uid, find }: System = thisSystem): string | null {
  if (find('apt-get') === null) return 'this system has no apt-get'
  if (uid === 0) return null
  const sudo = find('sudo')
  if (sudo === null) return 'only root may install, and there is no sudo'
  const asked = spawnSync(sudo, ['-n', 'true'], { stdio: 'ignore' })
  return asked.status === 0 ? null : 'only root may install, and sudo asks for a password'
}

/** Fetches the lists of packages, which fresh images lack. Throws when apt-get fails. */
export function updatePackageLists(): void {
  runAsRoot([...aptGet, 'update'])
}

/** What the installation would do, by apt-get's own simulation: changes nothing and needs no rights. */
export function planInstall(packages: string[]): InstallPlan {
  const [command = '', ...args] = installCommand(packages)
  const env = { ...process.env, LC_ALL: 'C' }
  const { status, stdout, stderr } = spawnSync(command, [...args, '--simulate'], { env, encoding: 'utf8' })
  const changes = [...stdout.matchAll(/^Inst (\S+) (\[)?/gm)]
  const added = changes.filter(([, , isUpgrade]) => isUpgrade === undefined).map(([, name = '']) => name)
  const upgraded = changes.filter(([, , isUpgrade]) => isUpgrade !== undefined).map(([, name]) => name)
  if (status !== 0) return { added: [], obstacle: /^E: (.*)$/m.exec(stderr)?.[1] ?? 'apt-get fails' }
  return { added, obstacle: upgraded.length === 0 ? null : `it would upgrade ${upgraded.join(', ')}` }
}

/** Throws when apt-get fails; what it reports as errors goes to stderr. */
export function installPackages(packages: string[]): void {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-install-'))
  const script = join(folder, 'install.sh')
  try {
    writeFileSync(script, installScript)
    chmodSync(script, 0o755)
    runAsRoot(['sh', script, folder, ...installCommand(packages)])
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const aptGet = ['apt-get', '-qq', '-o', 'DPkg::Lock::Timeout=120', '-o', 'DPkg::Use-Pty=0']

function installCommand(packages: string[]): string[] {
  return [...aptGet, 'install', '--yes', '--no-upgrade', '--no-remove', '--no-install-recommends', ...packages]
}

function runAsRoot(words: string[]): void {
  const [command = '', ...args] = thisSystem.uid === 0 ? words : ['sudo', '-n', ...words]
  execFileSync(command, args, { stdio: ['ignore', 'ignore', 2] })
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
case "$*" in *postgresql*)
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
esac
printf '#!/bin/sh\\nexit 0\\n' > "$folder/nothing"
chmod 755 "$folder/nothing"
cat > "$folder/quietly" <<EOF
for starter in /usr/sbin/invoke-rc.d /usr/bin/deb-systemd-invoke; do
  if [ -e \\$starter ]; then mount --bind "$folder/nothing" \\$starter; fi
done
exec "\\$@"
EOF
if unshare --mount true 2>/dev/null; then
  unshare --mount sh "$folder/quietly" "$@"
else
  "$@"
fi
`
