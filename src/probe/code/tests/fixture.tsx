import React, { type FC } from 'react' //= import React; import FC
type Props = { a: string } //= type Props
export const View: FC<Props> = ({ a }) => ( //= constant View +4
  <>
    <div className={a}>{`text ${a}`}</div>
  </>
)
export default function App<T,>(props: T) { //= function App +2
  return <View a="1" />
}
class Old extends React.Component<Props> { //= class Old +5
  state = {}
  render() { //= method Old.render +2
    return <p>it's {this.props.a} &amp; more</p>
  }
}
