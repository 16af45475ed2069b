import { FAILED_MAX } from '../interface/revision.ts'
import type { words as english } from './shell.words.ts'
import { common } from './words.ts'

const { count, number } = common

export const words: typeof english = {
  skip: 'Ir para o conteúdo',
  connectionLost: 'O Greenroom não responde. O que você vê pode estar desatualizado; ele tenta de novo sozinho.',
  connectionBack: 'O Greenroom voltou a responder.',
  notFoundTitle: 'Página não encontrada',
  notFound: 'Não há página neste endereço. Ela pode ter mudado de lugar, ou o endereço foi digitado errado.',
  toStart: 'Ir para a página inicial',
  crashedTitle: 'Esta página parou de funcionar',
  inactive: 'Esta organização está inativa: suas chaves são recusadas e nenhuma publicação dela é publicada.',
  newVersionTitle: 'Há uma nova versão',
  notLoadedTitle: 'Esta página não foi carregada',
  newVersion: 'Há uma nova versão do Greenroom. Recarregue a página para continuar; o que você digitou é mantido.',
  notLoaded: 'Não foi possível carregar esta página. Verifique sua conexão.',
  reload: 'Recarregar',
  crashed: 'Carregue-a de novo. Se ela parar outra vez, conte ao administrador o que você fez.',
  nav: {
    label: 'Principal',
    inbox: 'Caixa de entrada',
    approvals: 'Aprovações',
    calendar: 'Calendário',
    audience: 'Público',
    insights: 'Resultados',
    activity: 'Atividade',
    settings: 'Configurações',
    newPost: 'Nova publicação',
    many: (many) => number(many),
    long: {
      waiting: (many) => (many === 1 ? '1 aguarda' : `${number(many)} aguardam`),
      unread: (many) => `${number(many)} ${many === 1 ? 'não lida' : 'não lidas'}`,
    },
    organization: 'Organização',
    organizations: 'Organizações',
    inactive: 'inativa',
    account: 'Conta',
    signOut: 'Sair',
    signOutEverywhere: 'Sair de todos os dispositivos',
    changePassword: 'Mudar a senha',
    keys: 'Atalhos de teclado',
    times: (zone) => `Os horários são de ${zone}`,
    ownTimes: (own, organization) => `Os horários são de ${own}, o seu fuso; o da organização é ${organization}`,
  },
  failures: {
    posts: (many) =>
      many >= FAILED_MAX
        ? `${number(many)} publicações ou mais não foram publicadas.`
        : `${many === 1 ? '1 publicação não foi publicada' : `${number(many)} publicações não foram publicadas`}.`,
    seePosts: 'Ver o motivo',
    tokens: (many) =>
      `A plataforma recusa ${count(many, 'token de acesso', 'tokens de acesso')}: nada é publicado nem lido lá.`,
    seeTokens: (mayConnect) => (mayConnect ? 'Conectar de novo' : 'Ver quais'),
  },
  password: {
    title: 'Mudar a senha',
    present: 'Senha atual',
    next: 'Nova senha',
    submit: 'Mudar a senha',
    done: 'Sua senha foi mudada. Você saiu dos seus outros dispositivos.',
  },
  keys: {
    title: 'Atalhos de teclado',
    on: 'Teclas simples funcionam neste dispositivo',
    next: 'Próxima publicação',
    previous: 'Publicação anterior',
    approve: 'Aprovar',
    return: 'Devolver com notas',
    select: 'Selecionar a publicação ou tirar a seleção, para decidir sobre várias de uma vez',
    undo: 'Desfazer a última decisão',
    calendar:
      'No calendário: as setas mudam de dia, Page Up e Page Down mudam de mês, Enter abre, M move uma publicação',
  },
}
