// Reads the product's version from its package.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { productFolder } from '../files/own-files.ts'

export function readVersion(): string {
  const text = readFileSync(join(productFolder, 'package.json'), 'utf8')
  return (JSON.parse(text) as { version: string }).version
}
