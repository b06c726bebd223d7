// Route 53's API as far as the driver may use it, on loopback: recomputes every signature by the published rules,
// applies change batches whole or not at all, and finds fault with what the API does not document. Knows nothing of the
// driver.
import { checkSignature } from '../support/simulated/aws-signature.ts'
import {
  type ScriptedUpstream,
  startUpstream,
  type UpstreamAnswer,
  type UpstreamRequest,
} from '../support/simulated/scripted-upstream.ts'
import { zone } from './driver-contract.ts'

interface RecordSet {
  name: string
  type: string
  ttl: string
  values: string[]
  /** Further elements, as an alias has. */
  more?: string
}

export interface Route53Api {
  upstream: ScriptedUpstream
  accessKeyId: string
  secretAccessKey: string
  zoneId: string
  records: RecordSet[]
  faults: string[]
  serve: () => void
}

const declaration = '<?xml version="1.0"?>'
const namespace = 'xmlns="https://route53.amazonaws.com/doc/2013-04-01/"'
const xml = (body: string, status = 200): UpstreamAnswer => ({
  status,
  headers: { 'content-type': 'text/xml' },
  body: declaration + body,
})

export const bad = (status: number, code: string, message: string): UpstreamAnswer =>
  xml(
    `<ErrorResponse ${namespace}><Error><Type>Sender</Type><Code>${code}</Code><Message>${message}</Message></Error><RequestId>r</RequestId></ErrorResponse>`,
    status,
  )
const badBatch = (message: string): UpstreamAnswer =>
  xml(
    `<InvalidChangeBatch ${namespace}><Messages><Message>${message}</Message></Messages><RequestId>r</RequestId></InvalidChangeBatch>`,
    400,
  )

export async function startRoute53Api(): Promise<Route53Api> {
  const upstream = await startUpstream()
  const api: Route53Api = {
    upstream,
    accessKeyId: 'AKIDEXAMPLE',
    secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
    zoneId: 'Z0123456789ABC',
    records: [],
    faults: [],
    serve: () => upstream.on('*', request => answer(api, request)),
  }
  api.serve()
  return api
}

function answer(api: Route53Api, request: UpstreamRequest): UpstreamAnswer {
  const refusal = refuseSignature(api, request)
  if (refusal !== null) return refusal
  const root = `/2013-04-01/hostedzone/${api.zoneId}`
  if (!request.path.startsWith(root)) return bad(404, 'NoSuchHostedZone', 'No hosted zone found')
  switch (`${request.method} ${request.path.slice(root.length)}`) {
    case 'GET ':
      return xml(
        `<GetHostedZoneResponse ${namespace}><HostedZone><Id>/hostedzone/${api.zoneId}</Id><Name>${zone}.</Name></HostedZone></GetHostedZoneResponse>`,
      )
    case 'GET /rrset':
      return list(api, request)
    case 'POST /rrset':
      return change(api, request)
    default:
      return bad(400, 'InvalidInput', 'no such call')
  }
}

function refuseSignature(api: Route53Api, request: UpstreamRequest): UpstreamAnswer | null {
  const { isValid, accessKeyId, region, service } = checkSignature(request, api.secretAccessKey)
  if (accessKeyId === '') return bad(403, 'MissingAuthenticationToken', 'Missing Authentication Token')
  if (accessKeyId !== api.accessKeyId) return bad(403, 'InvalidClientTokenId', 'The security token is invalid.')
  if (region !== 'us-east-1' || service !== 'route53') api.faults.push(`signed for ${region}, ${service}`)
  if (isValid) return null
  return bad(403, 'SignatureDoesNotMatch', `The request signature we calculated does not match: ${api.secretAccessKey}`)
}

function list(api: Route53Api, { query }: UpstreamRequest): UpstreamAnswer {
  if (Object.keys(query).sort().join() !== 'maxitems,name') api.faults.push(`query ${JSON.stringify(query)}`)
  const key = (name: string) => name.split('.').reverse().join('.')
  const sets = api.records
    .toSorted((a, b) => (key(a.name) + a.type < key(b.name) + b.type ? -1 : 1))
    .filter(({ name }) => key(name) >= key(query['name'] ?? ''))
    .slice(0, Number(query['maxitems']))
    .map(({ name, type, ttl, values, more }) => {
      const records = values.map(value => `<ResourceRecord><Value>${value}</Value></ResourceRecord>`).join('')
      const plain = `<TTL>${ttl}</TTL><ResourceRecords>${records}</ResourceRecords>`
      return `<ResourceRecordSet><Name>${name}</Name><Type>${type}</Type>${more ?? plain}</ResourceRecordSet>`
    })
  return xml(
    `<ListResourceRecordSetsResponse ${namespace}><ResourceRecordSets>${sets.join('')}</ResourceRecordSets><IsTruncated>false</IsTruncated><MaxItems>20</MaxItems></ListResourceRecordSetsResponse>`,
  )
}

const changeForm =
  /^<Change><Action>(UPSERT|DELETE)<\/Action><ResourceRecordSet><Name>([^<]+)<\/Name><Type>([A-Z]+)<\/Type><TTL>(\d+)<\/TTL><ResourceRecords>((?:<ResourceRecord><Value>[^<]+<\/Value><\/ResourceRecord>)+)<\/ResourceRecords><\/ResourceRecordSet><\/Change>/

function change(api: Route53Api, { headers, body }: UpstreamRequest): UpstreamAnswer {
  if (headers['content-type'] !== 'application/xml') api.faults.push(`content-type ${headers['content-type']}`)
  const start = `<?xml version="1.0" encoding="UTF-8"?><ChangeResourceRecordSetsRequest ${namespace}><ChangeBatch><Changes>`
  const end = '</Changes></ChangeBatch></ChangeResourceRecordSetsRequest>'
  if (!body.startsWith(start) || !body.endsWith(end)) return bad(400, 'InvalidInput', 'Invalid XML ; not the schema')
  let rest = body.slice(start.length, -end.length)
  let records = [...api.records]
  while (rest !== '') {
    const [whole, action, name = '', type = '', ttl = '', list = ''] = changeForm.exec(rest) ?? []
    if (whole === undefined) return bad(400, 'InvalidInput', 'Invalid XML ; not the schema')
    rest = rest.slice(whole.length)
    const values = [...list.matchAll(/<Value>([^<]+)<\/Value>/g)].map(([, value]) => value ?? '')
    const same = records.find(record => record.name === name && record.type === type)
    if (action === 'DELETE') {
      const isExact = same?.ttl === ttl && same.values.join() === values.join()
      if (!isExact)
        return badBatch(`Tried to delete resource record set [name='${name}', type='${type}'] but it was not found`)
      records = records.filter(record => record !== same)
      continue
    }
    const others = records.filter(record => record.name === name && record !== same)
    if (others.some(other => other.type === 'CNAME' || type === 'CNAME')) {
      return badBatch(`RRSet of type ${type} with DNS name ${name} is not permitted as it conflicts with other records`)
    }
    records = [...records.filter(record => record !== same), { name, type, ttl, values }]
  }
  api.records = records
  return xml(
    `<ChangeResourceRecordSetsResponse ${namespace}><ChangeInfo><Id>/change/C1</Id><Status>PENDING</Status></ChangeInfo></ChangeResourceRecordSetsResponse>`,
  )
}
