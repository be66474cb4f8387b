const { x, y: [z] } = require("m")
let count = 0
function* walk() {}
class Tree {
  #secret() {}
  static of() {}
}
