import './decision.test.js'
