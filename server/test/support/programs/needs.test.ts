// Tests which test files are skipped if a server is not installed and cannot be installed.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { filesThatNeed, needs } from './needs.ts'

// Joined from pieces, because otherwise this file itself would count as one that uses Redis.
const useGiven = ['inject', "('redisUrl')"].join('')
const useOwn = ['startRedis', '()'].join('')
const useFirefox = ['openBrowser', "('firefox')"].join('')
let folder: string

beforeAll(() => {
  folder = join(mkdtempSync(join(tmpdir(), 'sallyport-needs-')), 'test')
  mkdirSync(join(folder, 'kv'), { recursive: true })
  mkdirSync(join(folder, 'support'))
  const write = (path: string, text: string): void => writeFileSync(join(folder, path), text)
  write('plain.test.ts', "import { tools } from './support/tools.ts'\nimport { gone } from './gone.ts'")
  write('direct.test.ts', `const url = ${useGiven}`)
  write('kv/through.test.ts', "import { contract } from './contract.ts'")
  write('kv/contract.ts', "import { once } from './once-more.ts'")
  write('kv/once-more.ts', `import { contract } from './contract.ts'\nconst server = await ${useOwn}`)
  write('page.test.ts', `const browser = await ${useFirefox}`)
  write('support/tools.ts', useGiven)
})

afterAll(() => {
  rmSync(join(folder, '..'), { recursive: true })
})

test('a file is left out when it, or what it imports, uses the server', () => {
  const redis = needs.find(need => need.name === 'Redis')
  const postgres = needs.find(need => need.name === 'PostgreSQL')
  if (redis === undefined || postgres === undefined) throw new Error('the table has lost its rows')
  const files = ['plain.test.ts', 'direct.test.ts', 'kv/through.test.ts'].map(path => join(folder, path))
  expect(filesThatNeed(redis, files)).toEqual([files[1], files[2]])
  expect(filesThatNeed(postgres, files)).toEqual([])
})

test('a file that opens one browser is left out only where that one is missing', () => {
  const files = [join(folder, 'page.test.ts')]
  const using = needs.filter(need => filesThatNeed(need, files).length > 0)
  expect(using.map(({ name }) => name)).toEqual(['Firefox'])
})
