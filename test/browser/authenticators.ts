import { Secret, TOTP } from 'otpauth'
import type { CDPSession, Page } from 'playwright-core'

/** This device in the page's browser keeps passkeys, and says yes at once. */
export interface Authenticator {
  /** Counts its passkeys. */
  count(): Promise<number>
  /** With false, the browser reports that the passkey was not used. */
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

/** Gives the code that an authenticator app with this secret shows at the time. */
export const codeAt = (secret: string, timestamp: number): string =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp })
