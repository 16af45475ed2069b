import { callConsole, during, expectAllIn, makePeople, signIn } from './people.js'
import type { Attack } from './run.js'

const AT_ONCE = 80

/**
 * A signed-in person has 80 passwords checked at a time: first by signing in, then by changing the password. Ten others
 * sign in during this.
 */
export default {
  name: 'one person',
  async run(target) {
    const [one, ...others] = await makePeople(target, 11)
    const { mail, session, device } = one!
    const cookie = `${session}; ${device}`
    const change = { currentPassword: 'wrong words for it', newPassword: 'other long words for it' }
    const attacks: ((n: number) => Promise<unknown>)[] = [
      () => signIn(target, mail, { cookie }),
      () => callConsole(target, 'PUT', '/me/password', change, { cookie }),
    ]
    for (const attack of attacks) {
      const attackAndWait = async (n: number) => {
        await attack(n)
        await new Promise((resolve) => setTimeout(resolve, 250))
      }
      const statuses = await during(AT_ONCE, attackAndWait, () =>
        Promise.all(others.map((other) => signIn(target, other.mail))),
      )
      expectAllIn('others', statuses)
    }
  },
} satisfies Attack
