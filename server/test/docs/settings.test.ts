// The examples of settings in the documentation: the variables exist, and the command makes the key that they name.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { findBinary } from '../support/programs/find-binary.ts'
import { checkout } from './fences.ts'
import { fencesOf } from './runners.ts'

const codes = fencesOf('docs/settings.test.ts').map(({ code }) => code)
const isCommand = (code: string) => code.startsWith('tsig-keygen ')

test('examples of settings name variables that docs/configuration.md lists', () => {
  const listed = readFileSync(join(checkout, 'docs/configuration.md'), 'utf8')
  const lines = codes.filter(code => !isCommand(code)).flatMap(code => code.trim().split('\n'))
  expect(lines.length).toBeGreaterThan(12)
  const unknown = lines.filter(line => !listed.includes(`\`${/^([A-Z][A-Z0-9_]+)=\S/.exec(line)?.[1]}\``))
  expect(unknown).toEqual([])
})

test('BIND makes the key of the rfc2136 driver', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-tsig-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const [command = '', ...others] = codes.filter(isCommand)
  expect([command, others]).toEqual([expect.stringContaining('> /etc/bind/sallyport.key'), []])
  const PATH = `${process.env.PATH}:${dirname(findBinary('tsig-keygen') ?? '')}`
  execFileSync('sh', ['-ec', command.replace('/etc/bind', folder)], { env: { PATH } })
  const [, algorithm, secret = ''] =
    /key "sallyport" \{\s+algorithm (\S+);\s+secret "([^"]+)";/.exec(
      readFileSync(join(folder, 'sallyport.key'), 'utf8'),
    ) ?? []
  expect(codes.join('\n')).toContain(`DNS_RFC2136_KEY=${algorithm}:sallyport:<base64>`)
  expect(Buffer.from(secret, 'base64')).toHaveLength(32)
})
