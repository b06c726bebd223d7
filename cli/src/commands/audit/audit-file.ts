// Checks the lines of an exported audit: the chain of its entries, and that it ends where its last line says.

import { createLocalJWKSet } from 'jose/jwks/local'
import { compactVerify } from 'jose/jws/compact/verify'
import { auditHeadType } from '../../../../server/src/domain/audit/head-type.ts'
import { type ChainFault, createChainVerifier } from '../../../../server/src/domain/audit/verify-chain.ts'
import { isJsonObject, type JsonObject, parseJson } from '../../../../server/src/domain/json-object.ts'

export interface AuditProof {
  verified: boolean
  entries: number
  fault: ChainFault | null
  message: string
}

export interface AuditFileCheck {
  /** Returns false once nothing more can be proven. */
  addLine(line: string): boolean
  /** The signed end of the chain, from the last line. */
  head(): JsonObject | null
  end(): AuditProof
}

export function createAuditFileCheck(): AuditFileCheck {
  const verifier = createChainVerifier(null)
  let first: JsonObject | null = null
  let head: JsonObject | null = null
  let fault: ChainFault | null = null
  return {
    addLine(line) {
      const value = parseJson(line)
      const end = isJsonObject(value) ? value['head'] : undefined
      if (isJsonObject(end)) head = end
      else if (head !== null) fault = { seq: null, kind: 'added', message: 'A line stands behind the signed end' }
      else fault = verifier.add(value)
      if (first === null && isJsonObject(value)) first = value
      return fault === null
    },
    head: () => head,
    end() {
      const found = fault ?? findFaultAtEnds(first, verifier.last, head)
      const entries = verifier.count
      if (found !== null) return { verified: false, entries, fault: found, message: `${found.message}.` }
      return { verified: true, entries, fault: null, message: `The chain is whole: ${entries} entries.` }
    },
  }
}

/** Both ends: an export of some days begins later, and then names no entry that was dropped. */
function findFaultAtEnds(
  first: JsonObject | null,
  last: { seq: number; hash: string } | null,
  head: JsonObject | null,
): ChainFault | null {
  if (head === null) return { seq: null, kind: 'missing', message: 'The signed end is missing: a part of the file is' }
  const start = isJsonObject(head['start']) ? head['start'] : {}
  const [from, to] = [Number(start['seq']), Number(head['seq'])]
  if (from === to && last === null) return null
  if (first?.['seq'] !== from + 1) return missing(from + 1, 'the file begins later')
  if (first['prev_hash'] !== start['hash']) {
    return { seq: from + 1, kind: 'changed', message: `Entry ${from + 1} does not follow the start of the chain` }
  }
  if (last === null || last.seq < to) return missing((last?.seq ?? from) + 1, 'the file ends before the signed end')
  if (last.seq === to && last.hash === head['hash']) return null
  return { seq: last.seq, kind: 'added', message: `Entry ${last.seq} is not the signed end` }
}

function missing(seq: number, why: string): ChainFault {
  return { seq, kind: 'missing', message: `Entry ${seq} is missing: ${why}` }
}

/** Null if a key of the set has signed exactly this end. */
export async function findSignatureFault(
  head: JsonObject | null,
  keySet: string,
): Promise<{ verified: false; fault: ChainFault; message: string } | null> {
  const refuse = (message: string) => ({
    verified: false as const,
    fault: { seq: null, kind: 'changed' as const, message },
    message: `${message}.`,
  })
  const keys = parseJson(keySet)
  if (!isJsonObject(keys) || !Array.isArray(keys['keys'])) return refuse('The file of the keys is no key set')
  try {
    const { payload, protectedHeader } = await compactVerify(
      String(head?.['signature']),
      createLocalJWKSet({ keys: keys['keys'] }),
    )
    const signed = parseJson(Buffer.from(payload).toString())
    const isSame = ['chain', 'seq', 'hash'].every(name => isJsonObject(signed) && signed[name] === head?.[name])
    if (protectedHeader.typ === auditHeadType && isSame) return null
    return refuse('The signature is that of another end')
  } catch {
    // Why the library refuses it does not matter: no key of the set has signed this.
    return refuse('The signature is not valid')
  }
}
