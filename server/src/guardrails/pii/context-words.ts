// The words that label a number beside them. How near a word has to be is decided elsewhere.

/** A word may have several of these bits. */
export const context = {
  phone: 1,
  card: 2,
  ssn: 4,
  bank: 8,
  iban: 16,
  ip: 32,
  /** Orders, tickets, versions and other numbers that are not personal. */
  otherNumber: 64,
  version: 128,
  routing: 256,
  /** Labels a number without its kind: number, no, nr. */
  number: 512,
  /** An account that is not at a bank: AWS, user, login. */
  notBank: 1024,
  /** Money, measures and counts. */
  amount: 2048,
  /** A weak label of a phone: contact, text, office. */
  maybePhone: 4096,
  /** Only a label after the number: 555-0132 office. */
  phoneTail: 16_384,
  weakBank: 8192,
  /** Together these two name a bank account, in which no card number stands: checking account. */
  accountNoun: 32_768,
  accountKind: 65_536,
} as const

const lists: readonly (readonly [bits: number, words: string])[] = [
  [
    context.phone,
    `phone phones ph telephone telefon telefono teléfono téléphone telefone telefoon telefoonnummer telefonnummer telefonszám
     puhelin puhelinnumero tel tél tlf tlfn cell cellphone cellular mobile mobil móvil movil celular portable handy handynummer
     mobilnummer rufnummer gsm fax whatsapp sms landline hotline dial msisdn telephones dialed telegram viber voicemail
     numero telefoni phoned phoning telephoned telephoning dialled dialing dialling тел телефон телефона моб phonenumber 電話 电话 手机`,
  ],
  [
    context.maybePhone,
    `call called calls calling contact reach reached text texted texting ring helpline messages message voice pager rang
     ringing rung      extension ext caller callback appelez anrufen`,
  ],
  [context.phoneTail, 'office home work residence'],
  [
    context.card,
    `card cards visa mastercard amex maestro discover diners jcb unionpay cvv cvc pan kreditkarte karte tarjeta carte cartão
     credit ccn cardnumber creditcard`,
  ],
  [context.ssn, 'ssn ssns social security ss taxpayer socialsecurity'],
  [
    context.bank,
    `account accounts acct acc acctno accno accountno accountnumber checking savings bank chequing beneficiary dda konto kontonummer cuenta compte
     conta rekening`,
  ],
  [context.accountNoun, 'account accounts acct acc acctno accno accountno accountnumber konto cuenta compte conta'],
  [context.accountKind, 'bank checking chequing savings current routing aba deposit'],
  [
    context.weakBank,
    `deposit deposits wire transfer chase wells fargo citibank citi barclays hsbc payee debit ach routing statement bofa capital
     balance withdraw withdrawal funds banking zelle payroll`,
  ],
  [context.iban, 'iban sepa bic swift'],
  [
    context.ip,
    `ip ips ipv4 ipv6 host hosts server servers address addr client remote gateway dns ping subnet cidr router network
     localhost whitelist allowlist blacklist denylist blocklist firewall ssh proxy vpn listen bind inet inet6 node peer
     upstream nameserver resolver connect connection connections source dest destination src dst forwarded netmask`,
  ],
  [
    context.otherNumber,
    `order orders tracking track ticket tickets invoice invoices reference ref case job part parts serial sku isbn issn ean upc
     imei id ids uuid guid run build commit hash timestamp epoch unix nonce sequence seq error code codes line lines row rows
     page pages port pid batch model item items product products sample test confirmation shipment parcel lot claim policy
     license licence vin doi pmid arxiv patent zip postal postcode zipcode coordinates latitude longitude lat lon lng version
     itin ein regex pattern offset bytes size form omb number? stus status tweet commits object row_id request sha md5
     formula calculation equation random seed checksum digest fingerprint md5 embedding embeddings vector vectors tensor
     float score scores logits weights coordinate geohash easting northing isn barcode permit docket bug issue pull pr flight train room unit apt suite`,
  ],
  [
    context.version,
    `version versions ver v release releases section sections chapter figure fig table clause paragraph build firmware kernel
     driver package packages upgrade upgraded update updated downgrade chrome safari firefox edge python node npm webkit oid
     schema semver revision rev appendix article annex step`,
  ],
  [context.routing, 'routing aba rtn rtnum transit sort fedwire'],
  [context.number, 'number numbers no nr num nummer número numero numéro #'],
  [
    context.notBank,
    `aws azure github gcp google user login username twitter email instagram facebook admin service slack jira customer member
     gmail netflix steam gitlab iam cloud s3`,
  ],
  [
    context.amount,
    `usd eur gbp dollars dollar euros euro pounds cents price prices cost costs million billion thousand percent km kg miles
     meters metres bytes mb gb kb tokens people population views items ms seconds pieces`,
  ],
]

/** Bits by word, in lower case. */
export const contextByWord: ReadonlyMap<string, number> = (() => {
  const bits = new Map<string, number>()
  for (const [bit, words] of lists) {
    for (const word of words.split(/\s+/)) if (/^\p{L}+\d?$/u.test(word)) bits.set(word, (bits.get(word) ?? 0) | bit)
  }
  return bits
})()
