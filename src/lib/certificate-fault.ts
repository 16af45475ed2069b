/** Why a TLS certificate is rejected. */
export interface CertificateFault {
  /** The end of a sentence that begins with `The certificate of …`. */
  is: string
  remedy: string
  /** True if the certificate would be valid at another time: the clock may be wrong. */
  isOfTime: boolean
}

const TRUST =
  'Give it a certificate of a known authority, or make this program trust its authority: NODE_EXTRA_CA_CERTS=/path/to/authority.pem.'
const TIME = 'Renew the certificate or, if it is new, set the clock of this machine.'

/** The patterns match Node's codes and OpenSSL's messages, because a library may replace the code but keep the message. */
const FAULTS: readonly [pattern: RegExp, fault: CertificateFault][] = [
  [/CERT_HAS_EXPIRED|certificate has expired/, { is: 'has expired', remedy: TIME, isOfTime: true }],
  [/CERT_NOT_YET_VALID|certificate is not yet valid/, { is: 'is not valid yet', remedy: TIME, isOfTime: true }],
  [
    /ALTNAME_INVALID|certificate's altnames/,
    { is: 'is for another name', remedy: 'Address the host by the name in its certificate.', isOfTime: false },
  ],
  [
    /SELF_SIGNED|UNABLE_TO_(?:GET_ISSUER|VERIFY)|CERT_UNTRUSTED|self[- ]signed certificate|unable to (?:get (?:local )?issuer|verify the first) certificate/,
    { is: 'is not trusted here', remedy: TRUST, isOfTime: false },
  ],
]

/** Returns undefined for an error that is not about a certificate. */
export function certificateFaultOf(error: unknown): CertificateFault | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const { code, message } = cause as NodeJS.ErrnoException
    const found = FAULTS.find(([pattern]) => pattern.test(`${code} ${message}`))
    if (found !== undefined) return found[1]
  }
  return undefined
}
