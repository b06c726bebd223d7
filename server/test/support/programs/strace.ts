// Finds strace, with which tests count system calls and make them fail. Null if it does not work: some containers do
// not let one process trace another.
import { spawnSync } from 'node:child_process'
import { findBinary } from './find-binary.ts'

export function findStrace(): string | null {
  const binary = findBinary('strace')
  if (binary === null) return null
  const tried = spawnSync(binary, ['-f', '-o', '/dev/null', '-e', 'trace=fsync', 'true'], { stdio: 'ignore' })
  return tried.status === 0 ? binary : null
}
