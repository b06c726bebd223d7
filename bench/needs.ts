// Finds the programs that the bench needs beyond npm, and installs them if allowed. Without the first three it cannot
// run; other missing ones are skipped and reported.

import { findPostgres } from '../server/test/support/postgres.ts'
import { findBinary } from '../server/test/support/programs/find-binary.ts'
import { findObstacle, installPackages } from '../server/test/support/programs/install.ts'
import { findRedis } from '../server/test/support/redis.ts'

interface Need {
  name: string
  packages: string[]
  isHere: () => boolean
  isVital: boolean
}

const needs: Need[] = [
  { name: 'wrk', packages: ['wrk'], isHere: () => findBinary('wrk') !== null, isVital: true },
  { name: 'cc', packages: ['gcc', 'libc6-dev'], isHere: () => findBinary('cc', 'gcc') !== null, isVital: true },
  { name: 'taskset', packages: ['util-linux'], isHere: () => findBinary('taskset') !== null, isVital: true },
  { name: 'nginx', packages: ['nginx-light'], isHere: () => findBinary('nginx') !== null, isVital: false },
  { name: 'HAProxy', packages: ['haproxy'], isHere: () => findBinary('haproxy') !== null, isVital: false },
  { name: 'Redis', packages: ['redis-tools'], isHere: () => findRedis() !== null, isVital: false },
  { name: 'PostgreSQL', packages: ['postgresql'], isHere: () => findPostgres() !== null, isVital: false },
]

/** Returns the names of the programs that are still missing after the installation. */
export function installNeeds(say: (line: string) => void): Set<string> {
  const missing = needs.filter(need => !need.isHere())
  if (missing.length > 0) {
    const obstacle = findObstacle()
    say(
      `Not here: ${missing.map(need => need.name).join(', ')}. ${obstacle === null ? 'Installing.' : `Not installing: ${obstacle}.`}`,
    )
    if (obstacle === null) tryInstall(missing, say)
  }
  const still = needs.filter(need => !need.isHere())
  const vital = still.filter(need => need.isVital)
  if (vital.length > 0) throw new Error(`there is no bench without ${vital.map(need => need.name).join(', ')}`)
  return new Set(still.map(need => need.name))
}

function tryInstall(missing: Need[], say: (line: string) => void): void {
  try {
    installPackages(missing.flatMap(need => need.packages))
  } catch (error) {
    say(`Installing failed: ${String(error)}`)
  }
}
