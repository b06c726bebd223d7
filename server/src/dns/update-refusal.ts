// Describes a DNS server's rejection of an update for users.
import { DnsFailure, type DnsFailureKind } from './dns-failure.ts'
import { tsigError } from './tsig.ts'

const notAuth = 9

const byTsigError: Record<number, [DnsFailureKind, string]> = {
  [tsigError.BADSIG]: [
    'credentials',
    'The DNS server rejected the signature (BADSIG): the secret in DNS_RFC2136_KEY differs from the one of the server.',
  ],
  [tsigError.BADKEY]: [
    'credentials',
    'The DNS server rejected the key (BADKEY): check name and algorithm in DNS_RFC2136_KEY, and whether the key may change this zone.',
  ],
  [tsigError.BADTIME]: [
    'clock',
    'The DNS server rejected the time of the signature (BADTIME): synchronize the clocks of this service and the server.',
  ],
  [tsigError.BADTRUNC]: ['credentials', 'The DNS server rejected the length of the signature (BADTRUNC).'],
}

export function updateRefusal(rcode: number, signatureError: number, zone: string, isSigned: boolean): DnsFailure {
  const ofKey = rcode === notAuth ? byTsigError[signatureError] : undefined
  const [kind, sentence] = ofKey ?? explain(rcode, zone, isSigned)
  return new DnsFailure(kind, sentence)
}

function explain(rcode: number, zone: string, isSigned: boolean): [DnsFailureKind, string] {
  switch (rcode) {
    case 1:
      return ['bad_answer', 'The DNS server could not read the update (FORMERR).']
    case 2:
      return ['server_fault', `The DNS server failed while it changed the zone ${zone} (SERVFAIL).`]
    case 4:
      return ['refused', 'The DNS server does not support updates (NOTIMP).']
    case 5:
      return [
        'refused',
        isSigned
          ? `The DNS server does not allow this key to change the zone ${zone} (REFUSED).`
          : `The DNS server does not allow changes of the zone ${zone} without a key (REFUSED): set DNS_RFC2136_KEY.`,
      ]
    case notAuth:
      // Knot also returns this if it requires a key and got none.
      return [
        'unknown_zone',
        isSigned
          ? `The DNS server is not authoritative for the zone ${zone} (NOTAUTH): check DNS_RFC2136_ZONE.`
          : `The DNS server is not authoritative for the zone ${zone}, or requires a key (NOTAUTH): check DNS_RFC2136_ZONE and DNS_RFC2136_KEY.`,
      ]
    case 10:
      return ['outside_zone', `The DNS server reports that the name is outside the zone ${zone} (NOTZONE).`]
    default:
      return ['refused', `The DNS server rejected the update of the zone ${zone} (response code ${rcode}).`]
  }
}
