/** A reason for which a TLS certificate is refused. */
export interface CertificateFault {
  /** Completes the sentence that the certificate. */
  is: string
  remedy: string
  /** True for one that would count at another time: the clock may be wrong. */
  isOfTime: boolean
}

const TRUST =
  'Give it a certificate of a known authority, or let this program trust its own one: NODE_EXTRA_CA_CERTS=/path/to/authority.pem.'
const TIME = 'Renew the certificate; if it is new, set the clock of this machine.'

/** They are found by the codes of Node, and by the words of OpenSSL: a library may put a code of its own and leave these. */
const FAULTS: readonly [pattern: RegExp, fault: CertificateFault][] = [
  [/CERT_HAS_EXPIRED|certificate has expired/, { is: 'has ended', remedy: TIME, isOfTime: true }],
  [/CERT_NOT_YET_VALID|certificate is not yet valid/, { is: 'does not count yet', remedy: TIME, isOfTime: true }],
  [
    /ALTNAME_INVALID|certificate's altnames/,
    { is: 'is for another name', remedy: 'Name the host by the name that its certificate has.', isOfTime: false },
  ],
  [
    /SELF_SIGNED|UNABLE_TO_(?:GET_ISSUER|VERIFY)|CERT_UNTRUSTED|self[- ]signed certificate|unable to (?:get (?:local )?issuer|verify the first) certificate/,
    { is: 'is not trusted here', remedy: TRUST, isOfTime: false },
  ],
]

/** Undefined for an error that is not about a certificate. */
export function certificateFaultOf(error: unknown): CertificateFault | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const { code, message } = cause as NodeJS.ErrnoException
    const found = FAULTS.find(([pattern]) => pattern.test(`${code} ${message}`))
    if (found !== undefined) return found[1]
  }
  return undefined
}
