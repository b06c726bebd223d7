// `npm run pack [-- FOLDER [REPOSITORY]]`: builds, and packs the server, the SDK and the React package into three
// tarballs, and the Python package into a wheel and a source archive, by default in dist/. npm publishes with provenance
// only packages that name the repository they are built in. Needs python3, from 3.10 on.
import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { ensureBuilt } from '../build/ensure-built.js'
import { stageLibrary } from './stage-library.ts'
import { stageServer } from './stage-server.ts'

const [folder = join(import.meta.dirname, '../../dist'), repository = null] = process.argv.slice(2)
const target = resolve(folder)
const stages: Record<string, (folder: string, repository: string | null) => void> = {
  server: stageServer,
  sdk: (...to) => stageLibrary('sdk', ...to),
  react: (...to) => stageLibrary('react', ...to),
}

await ensureBuilt()
for (const [name, stage] of Object.entries(stages)) {
  const staged = join(target, name)
  rmSync(staged, { recursive: true, force: true })
  mkdirSync(staged, { recursive: true })
  stage(staged, repository)
  const tarball = execFileSync('npm', ['pack', staged, '--silent', '--pack-destination', target], { encoding: 'utf8' })
  process.stdout.write(join(target, tarball))
}
const buildPython = join(import.meta.dirname, '../../python/build_package.py')
execFileSync('python3', ['-B', buildPython, target], { stdio: ['ignore', 'inherit', 'inherit'] })
