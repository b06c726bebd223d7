// The product's version, from the package.json above this workspace: in a checkout as in the npm package.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export function readVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8'))
  return (manifest as { version: string }).version
}
