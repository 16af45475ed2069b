import { callConsole, during, expectAllIn, makePeople, signIn } from './people.js'
import type { Attack } from './run.js'

const AT_ONCE = 80

/**
 * Sends sign-ins each from a new /64, and then each from a new /48, some for existing accounts. Ten people sign in during
 * this.
 */
export default {
  name: 'sign-ins from everywhere',
  env: { TRUST_PROXY: '127.0.0.1', PERSON_CHANGES_PER_MINUTE: '0' },
  async run(target) {
    const people = await makePeople(target, 10)
    const guess = async (n: number, address: string) => {
      const mail = n % 2 === 0 ? people[n % 10]!.mail : `no-one-${n}@example.com`
      await callConsole(target, 'POST', '/sign-in', { mail, password: 'wrong words for it' }, { address })
      await new Promise((resolve) => setTimeout(resolve, 250))
    }
    const hex = (n: number): string => (n % 65_536).toString(16)
    const strangers = await during(
      AT_ONCE,
      (n) => guess(2 * n + 1, `2001:db8:7:${hex(n)}::1`),
      () => Promise.all(people.map(({ mail }, n) => signIn(target, mail, { address: `198.51.100.${n}` }))),
    )
    expectAllIn('people from elsewhere', strangers)
    const known = await during(
      AT_ONCE,
      (n) => guess(n, `2001:db8:${hex(n)}::1`),
      () =>
        Promise.all(people.map(({ mail, device }) => signIn(target, mail, { cookie: device, address: '192.0.2.1' }))),
    )
    expectAllIn('known devices', known)
  },
} satisfies Attack
