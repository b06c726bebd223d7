// Backup codes: each takes the place of a second factor once. They have 80 random bits, so a fast digest is enough.

import type { RandomBytes } from '../secrets/credentials.ts'
import { tokenDigest } from '../secrets/credentials.ts'
import { toBase32 } from './base32.ts'

const codeCount = 10
const codeBytes = 10

/** Ten codes of four groups of four letters and digits. */
export function newBackupCodes(random: RandomBytes): string[] {
  return Array.from({ length: codeCount }, () => {
    const text = toBase32(random(codeBytes)).toLowerCase()
    return (text.match(/.{4}/g) ?? []).join('-')
  })
}

/** People type codes with other spaces, hyphens and capitals. */
export function backupCodeDigest(userId: string, code: string): string {
  return tokenDigest(`${userId} ${code.toLowerCase().replace(/[^a-z2-7]/g, '')}`)
}
