// The files under deploy/ and the image, checked as far as that goes without a container engine: they parse, name only
// what exists, and what the image runs starts as another user and writes nothing but its data.
import { execFileSync } from 'node:child_process'
import {
  chownSync,
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { describeConfig } from '../../src/config/table.ts'
import { startProcess, waitUntilReady, withFreePort } from '../support/server-process.ts'

const checkout = join(import.meta.dirname, '../../..')
const variables = new Set(describeConfig().flatMap(section => section.variables.map(({ name }) => name)))
const read = (path: string) => readFileSync(join(checkout, path), 'utf8')
const imageUser = 10_001

interface ComposeService {
  image: string
  build?: object
  environment: Record<string, string>
  read_only?: boolean
  stop_grace_period?: string
  cap_drop?: string[]
  command?: string[]
}

describe('compose', () => {
  const text = read('deploy/compose/compose.yaml')
  const { services } = parse(text, { merge: true }) as { services: Record<string, ComposeService> }
  const ours = Object.entries(services).filter(([, { image }]) => image === 'sallyport:local')

  test('names variables that exist, for roles that exist', () => {
    expect(ours.map(([, { environment }]) => environment.ROLE).sort()).toEqual(['api', 'gateway,inference', 'worker'])
    for (const [, { environment }] of ours) {
      for (const name of Object.keys(environment)) expect(variables).toContain(name)
    }
  })

  test('runs them locked up and lets them drain', () => {
    for (const [, service] of ours) {
      expect(service).toMatchObject({ read_only: true, cap_drop: ['ALL'], stop_grace_period: '40s' })
    }
    expect(services.redis?.command).toContain('noeviction')
  })

  test('builds the image once: builds of one name run at the same time and refuse each other', () => {
    expect(ours.filter(([, { build }]) => build !== undefined).map(([name]) => name)).toEqual(['api'])
  })

  test('asks for nothing that .env.example does not list, and lists nothing in vain', () => {
    const asked = new Set([...text.matchAll(/\$\{([A-Z_]+):\?/g)].map(match => match[1]))
    const listed = [...read('deploy/compose/.env.example').matchAll(/^([A-Z_]+)=/gm)].map(match => match[1])
    expect(listed.sort()).toEqual([...asked].sort())
    for (const [, name] of read('deploy/compose/Caddyfile').matchAll(/\{\$([A-Z_]+)\}/g)) {
      expect(services.caddy?.environment).toHaveProperty(name ?? '')
    }
  })
})

describe('Kubernetes', () => {
  const folder = 'deploy/kubernetes'
  const manifests = globSync('*.yaml', { cwd: join(checkout, folder) }).flatMap(file =>
    parseAllDocuments(read(`${folder}/${file}`)).map(document => {
      expect(document.errors).toEqual([])
      return document.toJS() as Manifest
    }),
  )
  const deployments = manifests.filter(({ kind }) => kind === 'Deployment')

  interface Manifest {
    kind: string
    metadata: { name: string }
    data?: Record<string, string>
    stringData?: Record<string, string>
    resources?: string[]
    spec: { template: { spec: { containers: [Container]; terminationGracePeriodSeconds: number } } }
  }
  interface Container {
    env: { name: string; value: string }[]
    [field: string]: unknown
  }

  test('names variables and files that exist', () => {
    for (const { data, stringData } of manifests) {
      for (const name of Object.keys({ ...data, ...stringData })) expect(variables).toContain(name)
    }
    const listed = manifests.find(({ kind }) => kind === 'Kustomization')?.resources ?? []
    const own = globSync('*.yaml', { cwd: join(checkout, folder) }).map(file => file.replace('.example', ''))
    expect([...listed, 'kustomization.yaml'].sort()).toEqual([...new Set(own)].sort())
  })

  test('probes, confines and drains every role', () => {
    expect(deployments.map(({ spec }) => spec.template.spec.containers[0].env)).toEqual(
      expect.arrayContaining([
        [{ name: 'ROLE', value: 'api' }],
        [{ name: 'ROLE', value: 'gateway,inference' }],
        [{ name: 'ROLE', value: 'worker' }],
      ]),
    )
    for (const { spec } of deployments) {
      expect(spec.template.spec.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(41)
      expect(spec.template.spec).toMatchObject({ securityContext: { runAsNonRoot: true, runAsUser: imageUser } })
      expect(spec.template.spec.containers[0]).toMatchObject({
        livenessProbe: { httpGet: { path: '/healthz', port: 'http' } },
        readinessProbe: { httpGet: { path: '/readyz', port: 'http' } },
        securityContext: { readOnlyRootFilesystem: true, allowPrivilegeEscalation: false },
      })
    }
  })

  test('scales what exists', () => {
    const scaler = manifests.find(({ kind }) => kind === 'HorizontalPodAutoscaler')
    expect(scaler?.spec).toMatchObject({ scaleTargetRef: { kind: 'Deployment', name: 'gateway' } })
    expect(deployments.find(({ metadata }) => metadata.name === 'gateway')?.spec).not.toHaveProperty('replicas')
  })
})

describe('the image', () => {
  const dockerfile = read('Dockerfile')
  const lines = dockerfile.replaceAll('\\\n', ' ').split('\n')
  const stages = lines
    .join('\n')
    .split(/^(?=FROM )/m)
    .map(text => text.split('\n'))
  const buildStage = stages.find(([from]) => from?.endsWith(' AS build')) ?? []
  const lastStage = stages.at(-1) ?? []
  /** Source and destination of what comes from the checkout. */
  const copies = (from: string[]) =>
    from.flatMap(line => {
      const words = /^COPY (?!--from)(.+)$/.exec(line)?.[1]?.split(' ') ?? []
      return words.slice(0, -1).map(source => ({ source, to: words.at(-1) ?? '' }))
    })

  const readCommand = () => JSON.parse(/^CMD (\[.+\])$/m.exec(lastStage.join('\n'))?.[1] ?? '[]') as string[]
  /** As a stage does, with the packages of the checkout. */
  const copyInto = (app: string, stage: string[]) => {
    for (const { source, to } of copies(stage)) {
      const target = to.endsWith('/') ? join(app, to, source.split('/').at(-1) ?? '') : join(app, to)
      cpSync(join(checkout, source), target, { recursive: true, filter: path => !/\/dist$/.test(path) })
    }
    symlinkSync(join(checkout, 'node_modules'), join(app, 'node_modules'))
  }

  test('copies what exists and what .dockerignore lets through', () => {
    const passed = new Set([...read('.dockerignore').matchAll(/^!(.+)$/gm)].map(match => match[1]))
    for (const { source } of copies(lines)) {
      expect(statSync(join(checkout, source))).toBeTruthy()
      const isPassed = [...passed].some(path => `${source}/`.startsWith(`${path}/`))
      expect([source, isPassed]).toEqual([source, true])
    }
  })

  test('installs what its Node is linked against and a slim Debian lacks', () => {
    const { sharedObjects } = process.report.getReport() as { sharedObjects: string[] }
    const needed = { libatomic1: '/libatomic.so', 'libstdc++6': '/libstdc++.so' }
    const installed = /apt-get install (.+?)&&/.exec(lastStage.join('\n'))?.[1]?.trim().split(/\s+/)
    for (const [name, object] of Object.entries(needed)) {
      if (sharedObjects.some(path => path.includes(object))) expect(installed).toContain(name)
    }
    expect(sharedObjects.length).toBeGreaterThan(0)
  })

  test('runs the command of npm start', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: { start: string } }
    expect(`exec ${readCommand().join(' ')}`).toBe(scripts.start)
  })

  test('builds from what it copies, starts as another user and writes nothing outside its data', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sallyport-image-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const [built, app, data] = [join(folder, 'built'), join(folder, 'app'), join(folder, 'data')]
    copyInto(built, buildStage)
    const [, build = ''] = /^RUN node (.+)$/m.exec(buildStage.join('\n')) ?? []
    execFileSync(process.execPath, [build], { cwd: built, env: {}, stdio: 'pipe' })
    copyInto(app, lastStage)
    for (const [, path = ''] of lastStage.join('\n').matchAll(/^COPY --from=build \/app\/(\S+) \1$/gm)) {
      cpSync(join(built, path), join(app, path), { recursive: true })
    }
    mkdirSync(data, { mode: 0o700 })
    const isRoot = process.getuid?.() === 0
    if (isRoot) {
      // The temporary folder itself is its maker's alone.
      chownSync(folder, imageUser, imageUser)
      chownSync(data, imageUser, imageUser)
    }
    const before = listOf(app)
    const [command = '', ...args] = readCommand()
    const fixed = Object.fromEntries([...dockerfile.matchAll(/\b([A-Z_]+)=(\S+)/g)].map(match => match.slice(1, 3)))
    expect(fixed).toMatchObject({ HOST: '0.0.0.0', DATA_DIR: '/data' })
    const user = isRoot ? { uid: imageUser, gid: imageUser } : {}
    const exitCode = await withFreePort(async port => {
      const env = { ...fixed, PATH: process.env.PATH, HOST: '127.0.0.1', DATA_DIR: data, PORT: String(port) }
      const server = await startProcess({ command, args, cwd: app, env, ...user })
      const isReady = () =>
        fetch(`http://127.0.0.1:${port}/readyz`).then(
          ({ ok }) => ok,
          () => false,
        )
      await waitUntilReady(server, isReady, 30_000)
      return server.end('SIGTERM', 40_000)
    })
    expect(exitCode).toBe(0)
    expect(listOf(app)).toEqual(before)
  })

  function listOf(folder: string): string[] {
    return globSync('**/*', { cwd: folder, exclude: ['node_modules'] })
  }
})
