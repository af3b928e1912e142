package request

import (
	"io/fs"
	"testing"

	"github.com/stretchr/testify/require"
)

func openFake(name string) ([]byte, error) {
	if name == "dir/a.txt" {
		return []byte("line 1\r\nline 2\n"), nil
	}
	return nil, fs.ErrNotExist
}

func TestMultipart(t *testing.T) {
	f, err := Multipart([]string{"a=1;2", `b"=text;type=text/x`, "c=@dir/a.txt", `d=@dir/a.txt;filename="x.bin";type=image/png`, "e=<dir/a.txt"}, "XYZ", openFake)
	require.NoError(t, err)
	require.Equal(t, "multipart/form-data; boundary=XYZ", f.Type)
	require.Equal(t, "--XYZ\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1;2\r\n"+
		"--XYZ\r\nContent-Disposition: form-data; name=\"b%22\"\r\nContent-Type: text/x\r\n\r\ntext\r\n"+
		"--XYZ\r\nContent-Disposition: form-data; name=\"c\"; filename=\"a.txt\"\r\nContent-Type: text/plain\r\n\r\nline 1\r\nline 2\n\r\n"+
		"--XYZ\r\nContent-Disposition: form-data; name=\"d\"; filename=\"x.bin\"\r\nContent-Type: image/png\r\n\r\nline 1\r\nline 2\n\r\n"+
		"--XYZ\r\nContent-Disposition: form-data; name=\"e\"\r\n\r\nline 1\r\nline 2\n\r\n"+
		"--XYZ--\r\n", string(f.Body))
	_, err = Multipart([]string{"nothing", "f=@gone", "g=has XYZ in it"}, "XYZ", openFake)
	require.ErrorContains(t, err, "name=text")
	require.ErrorContains(t, err, "field f: file does not exist")
	require.ErrorContains(t, err, "field g contains the boundary")
}

func TestURLEncoded(t *testing.T) {
	f, err := URLEncoded([]string{"a b", "=c&d", "e=f=g", "@dir/a.txt", "h@dir/a.txt", "ü=ü~"}, openFake)
	require.NoError(t, err)
	require.Equal(t, "application/x-www-form-urlencoded", f.Type)
	require.Equal(t, "a+b&c%26d&e=f%3Dg&line+1%0D%0Aline+2%0A&h=line+1%0D%0Aline+2%0A&ü=%C3%BC~", string(f.Body))
	_, err = URLEncoded([]string{"a@gone"}, openFake)
	require.ErrorIs(t, err, fs.ErrNotExist)
}

func FuzzForm(f *testing.F) {
	f.Add("a=1;type=x", "b@dir/a.txt")
	f.Add("c=@dir/a.txt;filename=\"", "=")
	f.Fuzz(func(t *testing.T, field, encoded string) {
		if form, err := Multipart([]string{field}, "XYZ", openFake); err == nil {
			r := Request{URL: "http://h/", Header: []Field{{"Content-Type", form.Type}}, Body: form.Body}
			require.NoError(t, r.Check())
		}
		if form, err := URLEncoded([]string{encoded}, openFake); err == nil {
			require.NotNil(t, form.Body)
		}
	})
}
