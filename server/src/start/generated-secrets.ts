// The three secrets the product needs: from the environment, otherwise generated once and stored in DATA_DIR.
import { generateKeyPair, type KeyObject, randomBytes } from 'node:crypto'
import { promisify } from 'node:util'
import type { z } from 'zod'
import type { Config } from '../config/config.ts'
import { encryptionKey, headerSecret, rsaPrivateKey } from '../config/values.ts'
import { readOrCreateSecret } from '../crypto/secrets/secret-file.ts'

interface Secrets {
  adminSecret: string
  jwtPrivateKey: KeyObject
  encryptionKey: Buffer
}

/** In distributed mode config.ts has checked that all three are set, and no file is touched. */
export async function completeSecrets(
  { secrets, dataDir }: Pick<Config, 'secrets' | 'dataDir'>,
  warn: (message: string) => void,
): Promise<Secrets> {
  async function keep<T>(name: string, kind: z.ZodType<T>, create: () => string | Promise<string>): Promise<T> {
    const read = (text: string) => kind.safeParse(text).data ?? null
    return (await readOrCreateSecret({ folder: dataDir, name, create, read, warn })).secret
  }

  return {
    adminSecret:
      secrets.adminSecret ??
      (await keep('admin-secret', headerSecret(16), () => randomBytes(32).toString('base64url'))),
    encryptionKey:
      secrets.encryptionKey ?? (await keep('encryption-key', encryptionKey, () => randomBytes(32).toString('base64'))),
    jwtPrivateKey: secrets.jwtPrivateKey ?? (await keep('jwt-private-key.pem', rsaPrivateKey, newPrivateKeyPem)),
  }
}

async function newPrivateKeyPem(): Promise<string> {
  const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: 2048 })
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
}
