import { Secret, TOTP } from 'otpauth'
import type { CDPSession, Page } from 'playwright-core'

/** A device with passkeys in the page's browser, which says yes at once. */
export interface Authenticator {
  /** How many passkeys it holds. */
  count(): Promise<number>
  /** Whether it recognizes the person: without, the browser reports that the passkey was not used. */
  recognize(isPerson: boolean): Promise<void>
}

export async function addAuthenticator(page: Page): Promise<Authenticator> {
  const cdp: CDPSession = await page.context().newCDPSession(page)
  await cdp.send('WebAuthn.enable')
  const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  return {
    async count() {
      return (await cdp.send('WebAuthn.getCredentials', { authenticatorId })).credentials.length
    },
    async recognize(isUserVerified) {
      await cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified })
    },
  }
}

/** The code that an authenticator app with this secret shows at the time. */
export const codeAt = (secret: string, timestamp: number): string =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp })
