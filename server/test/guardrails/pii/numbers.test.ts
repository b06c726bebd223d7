// The check digits, lengths and ranges of each kind of number, one broken at a time.
import { expect, test } from 'vitest'
import { passesLuhn } from '../../../src/guardrails/pii/checksums.ts'
import { isCard } from '../../../src/guardrails/pii/numbers/card.ts'
import { findIbanAt, ibanLength } from '../../../src/guardrails/pii/numbers/iban.ts'
import { endOfIpv4, endOfIpv6 } from '../../../src/guardrails/pii/numbers/ip-address.ts'
import { isSsn } from '../../../src/guardrails/pii/numbers/ssn.ts'

const cards =
  '4242424242424242 4222222222222 5555555555554444 2223003122003222 378282246310005 6011111111111117 30569309025904 3530111333300000 6200000000000005'

test.each(cards.split(' '))('card %s, and none with one digit changed or gone', card => {
  expect(isCard(card)).toBe(true)
  for (let at = 0; at < card.length; at++) {
    const other = (Number(card[at]) + 1) % 10
    const changed = card.slice(0, at) + other + card.slice(at + 1)
    expect([passesLuhn(changed), isCard(changed)]).toEqual([false, false])
  }
  expect(isCard(card.slice(1))).toBe(false)
})

const ibans =
  'GB29NWBK60161331926819 DE89370400440532013000 NO9386011117947 FR1420041010050500013M02606 MT84MALT011000012345MTLCAST001S'

test.each(ibans.split(' '))(
  'IBAN %s, in groups, in lower case, and none with two characters swapped or one too few',
  iban => {
    expect(findIbanAt(iban, 0)).toEqual({ end: iban.length, value: iban })
    expect(findIbanAt(`${iban.toLowerCase()} x`, 0)?.value).toBe(iban)
    const grouped = iban.replace(/(.{4})(?=.)/g, '$1 ')
    expect(findIbanAt(grouped, 0)).toEqual({ end: grouped.length, value: iban })
    expect(findIbanAt(iban.slice(0, -1), 0)).toBeNull()
    for (let at = 4; at + 1 < iban.length; at++) {
      if (iban[at] === iban[at + 1]) continue
      expect(findIbanAt(`${iban.slice(0, at)}${iban[at + 1]}${iban[at]}${iban.slice(at + 2)}`, 0)).toBeNull()
    }
  },
)

test('no country, no length', () => expect(ibanLength('ZZ')).toBe(0))

test.each([
  ['536228717', true],
  ['000228717', false],
  ['666228717', false],
  ['900228717', false],
  ['536008717', false],
  ['536220000', false],
  ['53622871', false],
])('social security number %s: %s', (digits, isOne) => expect(isSsn(digits)).toBe(isOne))

test.each(['0.0.0.0', '255.255.255.255', '10.1.2.3'])('address %s', text =>
  expect(endOfIpv4(text, 0)).toBe(text.length),
)
test.each(['256.1.1.1', '1.1.1', '1.1.1.1.1', '1.1.1.1a', '1..1.1', '1111.1.1.1'])('no address %s', text => {
  expect(endOfIpv4(text, 0)).toBe(-1)
})
test.each(['::1', '1::', 'fe80::1ff:fe23:4567:890a', '2001:db8:85a3:0:0:8a2e:370:7334', '::ffff:10.0.0.1'])(
  'address %s',
  text => {
    expect(endOfIpv6(text, 0)).toBe(text.length)
  },
)
test.each(['1:2:3', '1:2:3:4:5:6:7:8:9', '12345::1', '1::2::3', '::', '00:1b:44:11:3a:b7', '1:2:3:4:5:6:7'])(
  'no address %s',
  text => {
    expect(endOfIpv6(text, 0)).toBe(-1)
  },
)
