// The table of all routes as the product makes it, over a database and a store of its own; nothing is asked of them.

import { generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createSigningKey } from '../../../src/crypto/keys/signing-key.ts'
import { createPasswordHasher } from '../../../src/crypto/secrets/password.ts'
import { createSecretBox } from '../../../src/crypto/secrets/secret-box.ts'
import { forEachProvider } from '../../../src/domain/provider.ts'
import { defaultLimits } from '../../../src/domain/settings/settings-limits.ts'
import { createTryGuardrails } from '../../../src/inference/guard/try-guardrails.ts'
import { createProcessStore } from '../../../src/kv/process/store.ts'
import { createLog } from '../../../src/log/log.ts'
import { listRoutes } from '../../../src/management/create-management.ts'
import type { Route } from '../../../src/management/plane/route.ts'
import { createRetriedPush } from '../../../src/management/settings/push-with-retry.ts'
import { describeDataPlane } from '../../../src/openapi/describe-data-plane.ts'
import { createOutbound } from '../../../src/outbound/outbound.ts'
import { openDatabase } from '../../../src/storage/open-database.ts'
import { noClouds } from '../../providers/clouds/no-clouds.ts'
import { guardrailMeans, noInference, partsOf } from '../../support/management-in-process.ts'

const none = { baseUrl: 'http://127.0.0.1:9', platformKey: null }

export interface RouteTable {
  routes: Route[]
  close(): Promise<void>
}

export async function openRouteTable(baseUrl = 'http://localhost:8080'): Promise<RouteTable> {
  // Not a copy that the test runner has prepared: `npm run sdk:generate` makes this table without it.
  const dataDir = mkdtempSync(join(tmpdir(), 'sallyport-routes-'))
  const log = createLog({ level: 'silent' })
  const now = Date.now
  const database = await openDatabase({ databaseUrl: null, dataDir, log, now })
  const kv = createProcessStore({ now, log })
  const outbound = createOutbound({ allow: { hosts: new Set(), networks: [] }, log })
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const { routes } = listRoutes(
    {
      ...partsOf(database),
      kv,
      pushToStore: createRetriedPush(log),
      windows: kv,
      outbound,
      clouds: noClouds(),
      inference: noInference,
      tryGuardrails: createTryGuardrails({ ...guardrailMeans(outbound), now, log }),
      writeUsage: async () => undefined,
      passwords: createPasswordHasher({ concurrency: 1 }),
      secretBox: createSecretBox({ current: randomBytes(32), previous: [] }),
      signingKey: createSigningKey('default', privateKey),
      now,
      randomId: randomUUID,
      log,
      settings: {
        version: '0.0.0',
        baseUrl,
        publicDomain: 'localhost',
        internalDomain: 'dev.localhost',
        dashboardOrigin: baseUrl,
        upgradeUrl: `${baseUrl}/upgrade`,
        adminSecret: 'admin-secret-of-the-tests',
        tokenIssuer: baseUrl,
        tokenAudience: 'service',
        defaultPlan: 'free',
        mintPerMinute: 600,
        dnsIsWildcard: true,
        tenantCreation: 'anyone',
        limits: defaultLimits,
        platformDefaultModel: null,
        providers: forEachProvider(() => none),
        sessionIssuer: null,
        singleSignOn: null,
      },
    },
    [],
    describeDataPlane,
  )
  return {
    routes,
    async close() {
      await outbound.close()
      await kv.close()
      await database.close()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}
