// The Helm chart, checked without Helm: its templates are read as YAML with their actions taken out, every name in them
// exists, and its pods are those of deploy/kubernetes.
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { z } from 'zod'
import { describeConfig } from '../../src/config/table.ts'

const checkout = join(import.meta.dirname, '../../..')
const chart = join(checkout, 'deploy/helm/sallyport')
const read = (path: string) => readFileSync(join(chart, path), 'utf8')
const readManifests = (text: string) => {
  const documents = parseAllDocuments(text)
  expect(documents.flatMap(({ errors }) => errors)).toEqual([])
  return documents.map(document => document.toJS()).filter(manifest => manifest !== null) as Manifest[]
}

interface Pod {
  containers: [Record<string, unknown>]
  [field: string]: unknown
}
interface Manifest {
  kind: string
  metadata: { name: string }
  spec: { template: { spec: Pod }; [field: string]: unknown }
}
interface Component {
  role: string
  [field: string]: unknown
}
interface Values {
  components: Record<string, Component>
  config: Record<string, string>
  ingress: { managementHost: string; projectHosts: string[] }
  networkPolicy: { deniedEgress: { ipv4: string[]; ipv6: string[] } }
}

const names = globSync('templates/*', { cwd: chart }).sort()
const templates = names.map(name => read(name)).join('\n')
const values = parse(read('values.yaml')) as Values
const variables = new Set(describeConfig().flatMap(section => section.variables.map(({ name }) => name)))
/** A line that is one action goes; an action within a line becomes a word. */
const withoutActions = (text: string) => text.replace(/^\s*\{\{.*\}\}\n/gm, '').replace(/\{\{.*?\}\}/g, 'word')

describe('the templates', () => {
  test('are YAML, one kind each', () => {
    const kinds = names
      .filter(name => name.endsWith('.yaml'))
      .flatMap(name => readManifests(withoutActions(read(name))).map(({ kind }) => kind))
    expect(kinds.sort()).toEqual(
      [
        'ConfigMap',
        'Deployment',
        'HorizontalPodAutoscaler',
        'Ingress',
        'NetworkPolicy',
        'PodDisruptionBudget',
        'Service',
      ].sort(),
    )
  })

  test('end what they begin, and include what is defined', () => {
    for (const name of names) {
      const actions = [...read(name).matchAll(/\{\{-?\s*(\w+)/g)].map(([, word]) => word)
      const beginnings = actions.filter(word => ['if', 'range', 'with', 'define'].includes(word ?? ''))
      expect([name, actions.filter(word => word === 'end').length]).toEqual([name, beginnings.length])
      expect([name, read(name).split('{{').length]).toEqual([name, read(name).split('}}').length])
    }
    const defined = new Set([...templates.matchAll(/define "([^"]+)"/g)].map(([, name]) => name))
    const included = [...templates.matchAll(/include "([^"]+)"/g)].map(([, name]) => name)
    expect(new Set(included)).toEqual(defined)
  })

  test('name every value, and none that does not exist', () => {
    const used = [...templates.matchAll(/\.Values((?:\.\w+)+)/g)].map(([, path = '']) => path.slice(1))
    const existing = pathsOf(values)
    expect(used.filter(path => !existing.includes(path))).toEqual([])
    const leaves = existing.filter(path => !existing.some(other => other.startsWith(`${path}.`)))
    const covered = (path: string) => used.some(name => path === name || path.startsWith(`${name}.`))
    const others = { ...values, components: {} }
    expect(leaves.filter(path => path !== 'components' && pathsOf(others).includes(path) && !covered(path))).toEqual([])
    const usedOfComponent = new Set(
      [...templates.matchAll(/\$component((?:\.\w+)+)/g)].map(([, path = '']) => path.slice(1)),
    )
    for (const component of Object.values(values.components)) {
      const fields = pathsOf(component).filter(path => !/^(autoscaling$|resources\.)/.test(path))
      expect(fields.sort()).toEqual([...usedOfComponent].sort())
    }
  })

  test("deny the cloud's metadata service to the pods, as deploy/kubernetes does", () => {
    const actions = /\{\{ toJson \.Values\.networkPolicy\.deniedEgress\.(ipv[46]) \}\}/g
    const { deniedEgress } = values.networkPolicy
    const text = read('templates/network-policy.yaml').replace(actions, (_, family: 'ipv4' | 'ipv6') =>
      JSON.stringify(deniedEgress[family]),
    )
    const [policy] = readManifests(withoutActions(text))
    const raw = readManifests(readFileSync(join(checkout, 'deploy/kubernetes/network.yaml'), 'utf8'))
    const { spec } = raw.find(({ kind }) => kind === 'NetworkPolicy') as Manifest
    const { policyTypes, egress } = spec
    expect(policyTypes).toEqual(['Ingress', 'Egress'])
    expect(policy?.spec).toMatchObject({ policyTypes, egress })
    expect(JSON.stringify(egress)).toContain('{"cidr":"0.0.0.0/0","except":["169.254.0.0/16"]}')
  })

  test('set variables that exist', () => {
    const set = [...templates.matchAll(/^\s+(?:- name: )?([A-Z][A-Z_]+)(?::|$)/gm)].map(([, name]) => name)
    expect([...new Set(set)].sort()).toEqual(['API_URL', 'INFERENCE_URL', 'PROCESSES', 'ROLE'])
    for (const name of [...set, ...Object.keys(values.config)]) expect(variables).toContain(name)
    const secrets = parse(readFileSync(join(checkout, 'deploy/kubernetes/secret.example.yaml'), 'utf8')).stringData
    const comment = /# A Secret that you create: (.+?)\. /s.exec(read('values.yaml'))?.[1] ?? ''
    expect(comment.match(/[A-Z][A-Z_]+/g)).toEqual(Object.keys(secrets))
  })
})

describe('the values', () => {
  const schema = JSON.parse(read('values.schema.json'))

  test('pass their schema, which knows each of them', () => {
    const check = z.fromJSONSchema(schema)
    expect(check.safeParse(values).error).toBeUndefined()
    const accepts = (path: string[], value: unknown) => {
      const copy = structuredClone(values) as unknown as Record<string, unknown>
      const last = path.at(-1) ?? ''
      const parent = path.slice(0, -1).reduce((inner, key) => inner[key] as Record<string, unknown>, copy)
      parent[last] = value
      return check.safeParse(copy).success
    }
    expect(accepts(['replicas'], 3)).toBe(false)
    expect(accepts(['components', 'api', 'replicas'], 0)).toBe(false)
    expect(accepts(['components', 'api', 'role'], 'gateways')).toBe(false)
    expect(accepts(['components', 'api', 'role'], 'api,worker')).toBe(true)
    expect(accepts(['config', 'log_level'], 'info')).toBe(false)
    expect(accepts(['config', 'LOG_LEVEL'], 5)).toBe(false)
    expect(accepts(['config', 'LOG_LEVEL'], 'debug')).toBe(true)
  })

  test('have roles that exist and the hosts of their variables', () => {
    expect(Object.entries(values.components).map(([name, { role }]) => [name, role])).toEqual([
      ['api', 'api'],
      ['gateway', 'gateway,inference'],
      ['inference', 'inference'],
      ['worker', 'worker'],
      ['all', 'all'],
    ])
    const { BASE_URL, PUBLIC_DOMAIN, INTERNAL_DOMAIN } = values.config
    expect(BASE_URL).toBe(`https://${values.ingress.managementHost}`)
    expect(values.ingress.projectHosts).toEqual([`*.${PUBLIC_DOMAIN}`, `*.${INTERNAL_DOMAIN}`])
  })
})

test('the chart has the version of the product', () => {
  const { version } = JSON.parse(readFileSync(join(checkout, 'package.json'), 'utf8'))
  expect(parse(read('Chart.yaml'))).toMatchObject({ apiVersion: 'v2', name: 'sallyport', version, appVersion: version })
})

describe.each(['api', 'gateway', 'worker'])('%s', name => {
  const manifests = readManifests(readFileSync(join(checkout, `deploy/kubernetes/${name}.yaml`), 'utf8'))
  const plain = findKind(manifests, 'Deployment')
  const component = values.components[name]

  test('has the pod of deploy/kubernetes: probes, confinement, drain, volumes', () => {
    const templated = findKind(readManifests(withoutActions(read('templates/deployments.yaml'))), 'Deployment')
    expect(fixedPartOf(templated)).toEqual(fixedPartOf(plain))
    expect(fixedPartOf(plain).container).toHaveProperty('readinessProbe')
    expect(templated.spec['strategy']).toEqual(plain.spec['strategy'])
  })

  test('has its role, replicas, resources and autoscaler', () => {
    const [container] = plain.spec.template.spec.containers
    expect(container['env']).toEqual([{ name: 'ROLE', value: component?.role }])
    expect(component?.['resources']).toEqual(container['resources'])
    const isScaled = manifests.some(({ kind }) => kind === 'HorizontalPodAutoscaler')
    expect(component?.['autoscaling']).toMatchObject({ enabled: isScaled })
    if (!isScaled) expect(component?.['replicas']).toBe(plain.spec['replicas'])
  })
})

test('the autoscaler is that of deploy/kubernetes', () => {
  const plain = readManifests(readFileSync(join(checkout, 'deploy/kubernetes/gateway.yaml'), 'utf8'))
  const { minReplicas, maxReplicas, behavior } = findKind(plain, 'HorizontalPodAutoscaler').spec
  expect(values.components['gateway']?.['autoscaling']).toMatchObject({ minReplicas, maxReplicas, targetCPU: 60 })
  const templated = readManifests(withoutActions(read('templates/autoscalers.yaml')))
  expect(findKind(templated, 'HorizontalPodAutoscaler').spec['behavior']).toEqual(behavior)
})

function findKind(manifests: Manifest[], kind: string): Manifest {
  const found = manifests.find(manifest => manifest.kind === kind)
  if (found === undefined) throw new Error(`no ${kind}`)
  return found
}

/** What no value changes. */
function fixedPartOf({ spec }: Manifest) {
  const { containers, ...pod } = spec.template.spec
  const without = (fields: string[], from: object) =>
    Object.fromEntries(Object.entries(from).filter(([name]) => !fields.includes(name)))
  return {
    pod: without(['topologySpreadConstraints', 'imagePullSecrets'], pod),
    container: without(['image', 'imagePullPolicy', 'env', 'envFrom', 'resources'], containers[0]),
  }
}

function pathsOf(value: unknown, above = ''): string[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return []
  return Object.entries(value).flatMap(([name, inner]) => {
    const path = above === '' ? name : `${above}.${name}`
    return [path, ...pathsOf(inner, path)]
  })
}
