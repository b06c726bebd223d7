// The one error of all DNS drivers: a kind for the log, and a sentence for users who wait for the host names. Must
// never carry a secret, an address of the operator's network, or a provider's unedited message.

export type DnsFailureKind =
  | 'outside_zone'
  | 'unreachable'
  | 'no_answer'
  | 'bad_answer'
  | 'credentials'
  | 'refused'
  | 'unknown_zone'
  | 'clock'
  | 'limited'
  | 'server_fault'

export class DnsFailure extends Error {
  readonly kind: DnsFailureKind

  constructor(kind: DnsFailureKind, sentence: string) {
    super(sentence)
    this.name = 'DnsFailure'
    this.kind = kind
  }
}
