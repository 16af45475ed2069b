import type { InboxKind } from '../../interface/inbox.js'
import { oneOrMore, type PersonMailKind, plural } from './wording.js'
import type { MailWords, NewsWords, NoticeWords } from './words.js'

const IF_NOT_YOU =
  'Se não foi você: entre, saia de todos os dispositivos, mude a sua senha (as duas coisas estão na página da sua conta) e avise o administrador do servidor.'

const named = (post: string): string => (post === '' ? '' : ` ${post}`)

const NOTICES: Record<PersonMailKind, NoticeWords> = {
  'sign-in': {
    subject: oneOrMore('Nova entrada na sua conta', '{n} novas entradas na sua conta'),
    happened: 'Alguém entrou na sua conta com um navegador ou a partir de uma rede que não tinham sido vistos antes:',
    todo: IF_NOT_YOU,
  },
  'password-set': {
    subject: oneOrMore('A sua senha foi definida', 'A sua senha foi definida {n} vezes'),
    happened: 'A senha da sua conta foi definida:',
    todo: 'Se não foi você: avise imediatamente o administrador do servidor, que encerra as suas sessões e lhe dá um link para entrar; depois defina outra senha.',
  },
  'provider-linked': {
    subject: oneOrMore(
      'A sua conta foi vinculada ao provedor de identidade',
      'A sua conta foi vinculada ao provedor de identidade {n} vezes',
    ),
    happened: 'A sua conta foi vinculada ao provedor de identidade, pelo qual você pode entrar de agora em diante:',
    todo: IF_NOT_YOU,
  },
  'factor-added': {
    subject: oneOrMore(
      'Um segundo fator foi adicionado à sua conta',
      '{n} segundos fatores foram adicionados à sua conta',
    ),
    happened: 'Um segundo fator para entrar foi adicionado à sua conta:',
    todo: IF_NOT_YOU,
  },
  'factor-removed': {
    subject: oneOrMore(
      'Um segundo fator foi removido da sua conta',
      '{n} segundos fatores foram removidos da sua conta',
    ),
    happened: 'Um segundo fator para entrar foi removido da sua conta:',
    todo: IF_NOT_YOU,
  },
  'factors-reset': {
    subject: oneOrMore(
      'Os segundos fatores da sua conta foram redefinidos',
      'Os segundos fatores da sua conta foram redefinidos {n} vezes',
    ),
    happened: 'A administração do servidor removeu todos os segundos fatores da sua conta:',
    todo: 'Se você não pediu isso: avise imediatamente o administrador do servidor. Se pediu, configure-os de novo na página da sua conta.',
  },
  'token-made': {
    subject: oneOrMore('Um programa tem acesso à sua conta', '{n} programas têm acesso à sua conta'),
    happened: 'Foi criado um token pessoal com o qual um programa age por você:',
    todo: IF_NOT_YOU,
  },
  'password-link': {
    subject: () => 'Defina uma nova senha',
    happened: 'Com o endereço de e-mail da sua conta foi pedido um link, porque a senha foi esquecida:',
    todo: 'Se foi você: este link deixa você entrar uma vez, em até 30 minutos, e ali você define uma nova senha. Se não foi você, não precisa fazer nada: a sua senha continua como está.',
  },
  'operator-token-expiring': {
    subject: oneOrMore('Um token de operador expira em breve', '{n} tokens de operador expiram em breve'),
    happened: 'Depois de expirar, um token de operador é recusado:',
    todo: 'Emita outro, mude o que o usa e revogue este: com `greenroom operator-tokens issue` ou nas configurações do servidor no console.',
  },
}

const NEWS: Record<InboxKind, NewsWords> = {
  returned: {
    subject: oneOrMore('A sua publicação foi devolvida', '{n} das suas publicações foram devolvidas'),
    said: (post, by) => `${by} devolveu a sua publicação${named(post)}`,
    quoted: ', por este motivo:',
    unquoted: '. O motivo está no console.',
  },
  approved: {
    subject: oneOrMore('A sua publicação foi aprovada', '{n} das suas publicações foram aprovadas'),
    said: (post, by) => `${by} aprovou a sua publicação${named(post)}. Ela será publicada no horário marcado.`,
  },
  failed: {
    subject: oneOrMore('A sua publicação não saiu', '{n} das suas publicações não saíram'),
    said: (post) => `A sua publicação${named(post)} não saiu em todos os canais`,
    quoted: ', por este motivo:',
    unquoted: '. O motivo está no console.',
  },
  published: {
    subject: oneOrMore('A sua publicação foi publicada', '{n} das suas publicações foram publicadas'),
    said: (post) => `A sua publicação${named(post)} foi publicada.`,
  },
  mentioned: {
    subject: oneOrMore('Você foi mencionado em uma discussão', 'Você foi mencionado {n} vezes em discussões'),
    said: (post, by) => `${by} mencionou você na discussão da publicação${named(post)}`,
    quoted: ':',
    unquoted: '. A mensagem está no console.',
  },
  replied: {
    subject: oneOrMore('Há uma nova mensagem sobre uma publicação', 'Há {n} novas mensagens sobre publicações'),
    said: (post, by) => `${by} escreveu na discussão da publicação${named(post)}`,
    quoted: ':',
    unquoted: '. A mensagem está no console.',
  },
}

export const words: MailWords = {
  hello: (name) => (name === '' ? 'Olá,' : `Olá, ${name},`),
  quote: (text) => `“${text}”`,
  unexpected: 'Se você não esperava este e-mail, não precisa fazer nada.',
  byRole: 'Você recebe este e-mail por causa do seu papel lá. No console você pode desligar esses e-mails para si.',
  invitation: {
    subject: (organization) => `Convite para uma organização chamada “${organization}”`,
    text: (organization) =>
      `Você foi convidado para trabalhar no Greenroom com uma organização que se chama “${organization}”: quem convida você deu a ela esse nome. Este link deixa você entrar; ele funciona uma vez, e por 7 dias:`,
  },
  reviewLink: {
    subject: (organization) => `${organization} pede a sua aprovação`,
    text: (organization) =>
      `Uma organização que se chama “${organization}” pede que você veja publicações antes que elas saiam. Este link as abre; você aprova ou devolve cada uma, e não precisa de conta:`,
    keep: 'Guarde este e-mail para si: quem tiver o link pode decidir em seu nome.',
  },
  approval: {
    subject: (many, organization) =>
      plural(
        many,
        `Uma publicação de ${organization} aguarda aprovação`,
        `${many.text} publicações de ${organization} aguardam aprovação`,
      ),
    text: oneOrMore('Uma publicação foi enviada para aprovação:', '{n} publicações foram enviadas para aprovação:'),
  },
  postFailed: {
    subject: (many, organization) =>
      plural(
        many,
        `Uma publicação de ${organization} não saiu`,
        `${many.text} publicações de ${organization} não saíram`,
      ),
    text: (many) =>
      `${plural(many, 'Uma publicação não pôde ser publicada', `${many.text} publicações não puderam ser publicadas`)} em todos os canais. O console diz por quê, e deixa tentar de novo:`,
  },
  tokenRefused: {
    subject: (organization) => `É preciso conectar ${organization} de novo à plataforma`,
    text: (many) =>
      `A plataforma recusa ${plural(many, 'o token de acesso de um canal ou conta de anúncios', `os tokens de acesso de ${many.text} canais ou contas de anúncios`)}: nada é publicado nem lido lá até que se conecte de novo.`,
  },
  keyExpiring: {
    subject: (many, organization) =>
      plural(
        many,
        `Uma chave de ${organization} expira em breve`,
        `${many.text} chaves de ${organization} expiram em breve`,
      ),
    text: oneOrMore(
      'Esta chave expira em menos de 14 dias, e a partir daí os programas que a usam são recusados. Emita outra, mude os programas e revogue a anterior:',
      'Estas chaves expiram em menos de 14 dias, e a partir daí os programas que as usam são recusados. Emita outras, mude os programas e revogue as anteriores:',
    ),
  },
  notices: NOTICES,
  from: (address) => `de ${address}`,
  unknownAddress: 'um endereço desconhecido',
  browser: (browser, system) =>
    `com ${browser ?? 'um navegador desconhecido'}${system === undefined ? '' : ` em ${system}`}`,
  tokenEnds: (token, time) => `${token}, que expira: ${time}`,
  before: (many) => `e ${many.text} antes destes`,
  gathered: (time) => `Houve vários e-mails como este. O que vier depois chega em um só, não antes das ${time}.`,
  server: (url) => `O servidor está em ${url}`,
  news: NEWS,
  newsOf: (subject, organization) => `${subject} (${organization})`,
  severalNews: (many) => `Novidades sobre as suas publicações: ${many.text}`,
  moreNews: (many) => `Há mais novidades na sua caixa de entrada: ${many.text}.`,
  allNews: (url) => `Todas as novidades estão na sua caixa de entrada: ${url}`,
  whyNews:
    'Você recebe este e-mail porque escreveu estas publicações ou foi mencionado nas discussões delas. Nas configurações do console, em Você, você escolhe as novidades que recebe por e-mail.',
  someone: 'outra pessoa',
  program: 'um programa',
  operator: 'o operador do servidor',
}
