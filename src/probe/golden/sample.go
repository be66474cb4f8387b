package p
func Visible() {
	secret := "body-secret"
}
