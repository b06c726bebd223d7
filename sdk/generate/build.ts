// `npm run build`: compiles the sources into sdk/dist, which is committed, so that a clone can import the package at once.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { compile } from './compile.ts'

const dist = join(import.meta.dirname, '../dist')
rmSync(dist, { recursive: true, force: true })
compile(dist)
