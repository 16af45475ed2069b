import type { words as english } from './entrance.words.ts'

export const words: typeof english = {
  noOrganizationTitle: 'Você ainda não está em nenhuma organização',
  noOrganization: 'Peça a um administrador que convide você para uma.',
  signIn: {
    several: 'Você tem uma conta em cada uma destas organizações. Qual delas você quer?',
    title: 'Entrar',
    mail: 'Endereço de e-mail',
    password: 'Senha',
    submit: 'Entrar',
    byPasskey: 'Entrar com uma chave de acesso',
    again: 'Sua sessão terminou',
    againText: 'Entre de novo para continuar de onde parou. O que você digitou continua aqui.',
    as: (mail) => `Entrar como ${mail}`,
    linkLead: 'Este link funciona uma vez. Ele é usado quando você clica no botão.',
    byLink: 'Entrando…',
    linkSpent: 'Este link já foi usado ou expirou. Peça outro.',
    needsHttps: 'Seu navegador só mantém a sessão por https. Abra esta página com um endereço que comece com https.',
  },
  forgot: {
    ask: 'Esqueceu a senha?',
    lead: 'Digite o endereço de e-mail da sua conta. Você recebe um link com o qual define uma nova senha.',
    submit: 'Enviar o link',
    sent: (mail) =>
      `Se ${mail} é o endereço confirmado de uma conta aqui, um link está a caminho. Ele funciona uma vez, em até 30 minutos. Se nada chegar, fale com um administrador.`,
    back: 'Voltar para a entrada',
  },
  provider: {
    signIn: (name) => `Entrar com ${name}`,
    elsewhere: 'Entre na outra janela. Esta página continua sozinha depois.',
    invited: (organization) => `Você foi convidado para ${organization}.`,
    failed: 'Você não entrou',
  },
  invitation: {
    title: 'Boas-vindas ao Greenroom',
    lead: (kind, organization, hasAccount) =>
      kind === 'owner'
        ? 'Você é a primeira pessoa aqui: crie sua conta como proprietário deste servidor.'
        : hasAccount
          ? `Você foi convidado para ${organization}. Aceite com a senha da sua conta.`
          : `Você foi convidado para ${organization}. Escolha um nome e uma senha para começar.`,
    personName: 'Seu nome',
    haveAccount: 'Já tenho uma conta aqui',
    haveNone: 'Ainda não tenho uma conta aqui',
    passwordHint: '12 caracteres ou mais. Algumas palavras seguidas são fáceis de lembrar e difíceis de adivinhar.',
    submit: 'Começar',
  },
  replaceTitle: 'Você já entrou',
  signedInAs: (name, mail) => `Você entrou como ${name} (${mail}).`,
  linkAsks: (mail) => `Este link é para ${mail}. Entrar como essa pessoa?`,
  invitationAsks: (mail, organization) =>
    mail === undefined
      ? 'Este convite cria uma conta para um proprietário deste servidor. Continuar com ele?'
      : `Este convite para ${organization} é para ${mail}. Continuar como essa pessoa?`,
  stay: 'Ficar como estou',
  replace: 'Continuar com o link',
}
