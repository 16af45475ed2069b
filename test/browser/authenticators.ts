import { Secret, TOTP } from 'otpauth'
import type { CDPSession, Page } from 'playwright-core'

/** An authenticator of this device in the page's browser, which keeps passkeys and agrees at once. */
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

/** Returns the code that an authenticator app with this secret shows at that time. */
export const codeAt = (secret: string, timestamp: number): string =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp })
