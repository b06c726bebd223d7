// `audit verify`: proves an exported audit without a server.
import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { type Command, textOption } from '../../frame/command.ts'
import { type AuditProof, createAuditFileCheck, findSignatureFault } from './audit-file.ts'

export const auditVerifyCommand: Command = {
  name: 'audit verify',
  summary: 'Prove that an exported audit is whole, without a server',
  example: 'sallyport audit verify audit.ndjson --keys jwks.json',
  args: [['<file>', 'an export of the audit in NDJSON, without filters']],
  options: [
    ['--keys <file>', 'the key set of the installation (BASE_URL/.well-known/jwks.json): checks the signature'],
  ],
  async run(input) {
    const [file = ''] = input.args
    const proof = await verify(file, textOption(input, 'keys'))
    return { json: proof, text: proof.message, ...(proof.verified ? {} : { ending: 'failed' }) }
  },
}

async function verify(file: string, keysFile: string | undefined): Promise<AuditProof> {
  const check = createAuditFileCheck()
  for await (const line of createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY })) {
    if (line !== '' && !check.addLine(line)) break
  }
  const proof = check.end()
  if (!proof.verified || keysFile === undefined) return proof
  const fault = await findSignatureFault(check.head(), await readFile(keysFile, 'utf8'))
  return fault === null ? { ...proof, message: `${proof.message} The signature is valid.` } : { ...proof, ...fault }
}
