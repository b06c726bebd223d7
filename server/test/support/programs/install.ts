// Installs Debian packages if this process is root or has passwordless sudo. Upgrades and removes nothing, and starts
// none of the packages' services.
import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findBinary } from './find-binary.ts'

export interface InstallPlan {
  /** All packages that would be newly installed, dependencies included. */
  added: string[]
  /** Why the packages must not or cannot be installed, or null. */
  obstacle: string | null
}

interface System {
  uid: number | undefined
  find: (name: string) => string | null
}

const thisSystem: System = { uid: process.getuid?.(), find: name => findBinary(name) }

/** Returns why packages cannot be installed here, or null if they can. */
export function findObstacle({ uid, find }: System = thisSystem): string | null {
  if (find('apt-get') === null) return 'this system has no apt-get'
  if (uid === 0) return null
  const sudo = find('sudo')
  if (sudo === null) return 'only root may install, and there is no sudo'
  const asked = spawnSync(sudo, ['-n', 'true'], { stdio: 'ignore' })
  return asked.status === 0 ? null : 'only root may install, and sudo asks for a password'
}

/** Fetches the lists of packages, which fresh images lack. Throws if apt-get fails. */
export function updatePackageLists(): void {
  runAsRoot([...aptGet, 'update'])
}

/** Lets apt-get simulate the installation: changes nothing and needs no rights. */
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

/** Throws if apt-get fails; its errors go to stderr. */
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
/** A machine of CI is not used again after a crash, so no file needs to be written to disk before the next one. */
const ofCi = process.env.CI === 'true' ? ['-o', 'DPkg::Options::=--force-unsafe-io'] : []

function installCommand(packages: string[]): string[] {
  return [...aptGet, ...ofCi, 'install', '--yes', '--no-upgrade', '--no-remove', '--no-install-recommends', ...packages]
}

function runAsRoot(words: string[]): void {
  const [command = '', ...args] = thisSystem.uid === 0 ? words : ['sudo', '-n', ...words]
  execFileSync(command, args, { stdio: ['ignore', 'ignore', 2] })
}

/**
 * Package scripts run in a mount namespace in which starting a service does nothing. The namespace disappears with its
 * processes, even if this process is killed. If namespaces are not allowed (containers), no service manager runs
 * either. PostgreSQL's package would also create a cluster; a configuration file prevents that during the
 * installation.
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
