import type { words as english } from './entrance.words.ts'

export const words: typeof english = {
  noOrganizationTitle: 'Sie sind noch in keiner Organisation',
  noOrganization: 'Bitten Sie eine Administratorin oder einen Administrator um eine Einladung.',
  signIn: {
    several: 'Sie haben in jeder dieser Organisationen ein Konto. Welches möchten Sie?',
    title: 'Anmelden',
    mail: 'E-Mail-Adresse',
    password: 'Passwort',
    submit: 'Anmelden',
    byPasskey: 'Mit einem Passkey anmelden',
    again: 'Sie wurden abgemeldet',
    againText: 'Melden Sie sich wieder an, um fortzufahren, wo Sie waren. Was Sie getippt haben, ist noch da.',
    as: (mail) => `Als ${mail} anmelden`,
    linkLead: 'Dieser Link gilt einmal. Er ist verbraucht, wenn Sie auf die Schaltfläche klicken.',
    byLink: 'Sie werden angemeldet…',
    linkSpent: 'Dieser Link wurde schon benutzt oder ist abgelaufen. Bitten Sie um einen neuen.',
    needsHttps:
      'Ihr Browser hält Sie nur über https angemeldet. Öffnen Sie diese Seite mit einer Adresse, die mit https beginnt.',
  },
  forgot: {
    ask: 'Passwort vergessen?',
    lead: 'Geben Sie die E-Mail-Adresse Ihres Kontos ein. Sie bekommen einen Link, mit dem Sie ein neues Passwort festlegen.',
    submit: 'Link senden',
    sent: (mail) =>
      `Wenn ${mail} die bestätigte Adresse eines Kontos hier ist, ist ein Link unterwegs. Er gilt einmal, binnen 30 Minuten. Wenn nichts ankommt, fragen Sie die Administration.`,
    back: 'Zurück zur Anmeldung',
  },
  provider: {
    signIn: (name) => `Mit ${name} anmelden`,
    elsewhere: 'Melden Sie sich im anderen Fenster an. Diese Seite geht danach von selbst weiter.',
    invited: (organization) => `Sie sind zu ${organization} eingeladen.`,
    failed: 'Sie sind nicht angemeldet',
  },
  invitation: {
    title: 'Willkommen bei Greenroom',
    lead: (kind, organization, hasAccount) =>
      kind === 'owner'
        ? 'Sie sind die erste Person hier: Legen Sie Ihr Konto an, mit dem Ihnen dieser Server gehört.'
        : hasAccount
          ? `Sie sind zu ${organization} eingeladen. Nehmen Sie mit dem Passwort Ihres Kontos an.`
          : `Sie sind zu ${organization} eingeladen. Wählen Sie einen Namen und ein Passwort, um zu beginnen.`,
    personName: 'Ihr Name',
    haveAccount: 'Ich habe hier schon ein Konto',
    haveNone: 'Ich habe hier noch kein Konto',
    passwordHint: '12 Zeichen oder mehr. Ein paar Wörter in Folge sind leicht zu merken und schwer zu erraten.',
    submit: 'Beginnen',
  },
  replaceTitle: 'Sie sind schon angemeldet',
  signedInAs: (name, mail) => `Sie sind als ${name} (${mail}) angemeldet.`,
  linkAsks: (mail) => `Dieser Link ist für ${mail}. Stattdessen als diese Person anmelden?`,
  invitationAsks: (mail, organization) =>
    mail === undefined
      ? 'Diese Einladung legt ein Konto an, dem dieser Server gehört. Stattdessen damit fortfahren?'
      : `Diese Einladung zu ${organization} ist für ${mail}. Stattdessen als diese Person fortfahren?`,
  stay: 'Angemeldet bleiben',
  replace: 'Mit dem Link fortfahren',
}
